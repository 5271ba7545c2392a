// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause

// What all CPUs together count in each interval, with libperfgrp from Go.
//
//	go build monitor.go
//	./monitor '{cycles,instructions},context-switches' 1000 10
package main

/*
#cgo pkg-config: libperfgrp
#include <stdlib.h>
#include <perfgrp/perfgrp.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

func monitor(text string, interval time.Duration, times int) error {
	dev, err := C.perfgrp_open()
	if dev == nil {
		errno, _ := err.(syscall.Errno)
		return errors.New(C.GoString(C.perfgrp_open_error(C.int(errno))))
	}
	defer C.perfgrp_close(dev)
	snap := C.perfgrp_snap_new()
	defer C.perfgrp_snap_free(snap)
	events := C.perfgrp_events_new()
	defer C.perfgrp_events_free(events)
	cText := C.CString(text)
	defer C.free(unsafe.Pointer(cText))
	if C.perfgrp_parse_events(events, cText) != 0 {
		why := C.perfgrp_events_error(events)
		return fmt.Errorf("'%s': %s", text[why.column:], C.GoString(&why.text[0]))
	}

	// Events in braces are a group; each group of events is one of the kernel's.
	var groups []*C.struct_perfgrp_group
	for i := C.__u32(0); i < C.perfgrp_events_nr_groups(events); i++ {
		flags := C.PERFGRP_CREATE_ENABLED | C.perfgrp_events_group(events, i).create_flags
		group := C.perfgrp_create_all_cpus(dev, flags)
		if group == nil {
			return errors.New(C.GoString(&C.perfgrp_dev_error(dev).text[0]))
		}
		defer C.perfgrp_group_close(group)
		if C.perfgrp_add_events(group, events, i) != 0 {
			return errors.New(C.GoString(&C.perfgrp_group_error(group).text[0]))
		}
		groups = append(groups, group)
	}

	// A snapshot that resets: what is counted between two is lost to neither.
	const flags = C.PERFGRP_SNAPSHOT_TOTALS | C.PERFGRP_SNAPSHOT_MIX_PMUS | C.PERFGRP_SNAPSHOT_RESET
	for ; times > 0; times-- {
		time.Sleep(interval)
		for i, group := range groups {
			if C.perfgrp_take_snap(group, flags, snap) != 0 {
				return errors.New(C.GoString(&C.perfgrp_group_error(group).text[0]))
			}
			row := C.perfgrp_snap_row(snap, 0)
			for j := C.__u32(0); j < C.perfgrp_events_group(events, C.__u32(i)).nr; j++ {
				event := C.perfgrp_events_at(events, C.__u32(i), j)
				value := C.perfgrp_snap_value(snap, row, event.counter.id)
				state := C.perfgrp_state_name(C.__u32(value.state))
				fmt.Printf("%16d %s, %s\n", uint64(value.scaled), C.GoString(event.name),
					C.GoString(state))
			}
		}
	}
	return nil
}

func main() {
	text, ms, times := "{cycles,instructions}", 1000, 1
	var err error
	if len(os.Args) > 1 {
		text = os.Args[1]
	}
	if len(os.Args) > 2 && err == nil {
		ms, err = strconv.Atoi(os.Args[2])
	}
	if len(os.Args) > 3 && err == nil {
		times, err = strconv.Atoi(os.Args[3])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "usage: monitor [EVENTS [MILLISECONDS [TIMES]]]")
		os.Exit(2)
	}
	if err = monitor(text, time.Duration(ms)*time.Millisecond, times); err != nil {
		fmt.Fprintln(os.Stderr, "monitor:", err)
		os.Exit(1)
	}
}
