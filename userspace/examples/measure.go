// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause

// What a function of this program counts, with libperfgrp from Go.
//
//	go build measure.go
//	./measure '{instructions:u,branches:u}'
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
	"runtime"
	"syscall"
	"unsafe"
)

// measure runs function and returns what it has counted, a line for each event of the group that
// text names. A group counts a thread: the goroutine must stay on one.
func measure(text string, function func()) ([]string, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	dev, err := C.perfgrp_open()
	if dev == nil {
		errno, _ := err.(syscall.Errno)
		return nil, errors.New(C.GoString(C.perfgrp_open_error(C.int(errno))))
	}
	defer C.perfgrp_close(dev)
	snap := C.perfgrp_snap_new()
	defer C.perfgrp_snap_free(snap)
	events := C.perfgrp_events_new()
	defer C.perfgrp_events_free(events)
	cText := C.CString(text)
	defer C.free(unsafe.Pointer(cText))
	if C.perfgrp_parse_events(events, cText) != 0 {
		return nil, errors.New(C.GoString(&C.perfgrp_events_error(events).text[0]))
	}
	named := C.perfgrp_events_group(events, 0)
	group := C.perfgrp_create_task(dev, 0, named.create_flags)
	if group == nil {
		return nil, errors.New(C.GoString(&C.perfgrp_dev_error(dev).text[0]))
	}
	defer C.perfgrp_group_close(group)
	if C.perfgrp_add_events(group, events, 0) != 0 || C.perfgrp_enable(group) != 0 {
		return nil, errors.New(C.GoString(&C.perfgrp_group_error(group).text[0]))
	}
	function()
	if C.perfgrp_disable(group) != 0 || C.perfgrp_take_snap(group, 0, snap) != 0 {
		return nil, errors.New(C.GoString(&C.perfgrp_group_error(group).text[0]))
	}

	var lines []string
	row := C.perfgrp_snap_row(snap, 0)
	for i := C.__u32(0); i < named.nr; i++ {
		event := C.perfgrp_events_at(events, 0, i)
		value := C.perfgrp_snap_value(snap, row, event.counter.id)
		count := "never ran"
		if value.flags&C.PERFGRP_VALUE_SCALED != 0 {
			count = fmt.Sprint(uint64(value.scaled))
		}
		lines = append(lines, fmt.Sprintf("%16s %s", count, C.GoString(event.name)))
	}
	return lines, nil
}

// primes is the function in question: how many there are below limit.
func primes(limit int) (found int) {
next:
	for n := 2; n < limit; n++ {
		for d := 2; d*d <= n; d++ {
			if n%d == 0 {
				continue next
			}
		}
		found++
	}
	return found
}

func main() {
	text := "{instructions:u,branches:u}"
	if len(os.Args) > 1 {
		text = os.Args[1]
	}
	var found int
	lines, err := measure(text, func() { found = primes(1000) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
	fmt.Println(found, "primes")
	for _, line := range lines {
		fmt.Println(line)
	}
}
