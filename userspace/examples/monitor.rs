// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//! What all CPUs together count in each interval, with libperfgrp from Rust.
//!
//! ```text
//! bindgen /usr/include/perfgrp/perfgrp.h >perfgrp.rs
//! rustc -O monitor.rs -l perfgrp
//! ./monitor '{cycles,instructions},context-switches' 1000 10
//! ```

use perfgrp::*;
use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::time::Duration;

/// What bindgen makes of the header.
#[allow(
    dead_code,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals
)]
mod perfgrp;

fn string(text: *const c_char) -> String {
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

unsafe fn monitor(text: &str, interval: Duration, times: u32) -> Result<(), String> {
    let events = perfgrp_events_new();
    let snap = perfgrp_snap_new();
    let dev = perfgrp_open();
    if dev.is_null() || events.is_null() || snap.is_null() {
        let error = std::io::Error::last_os_error();
        return Err(string(perfgrp_open_error(
            error.raw_os_error().unwrap_or(0),
        )));
    }
    let c_text = CString::new(text).map_err(|e| e.to_string())?;
    if perfgrp_parse_events(events, c_text.as_ptr()) != 0 {
        let error = perfgrp_events_error(events);
        let rest = &text[(*error).column as usize..];
        return Err(format!("'{}': {}", rest, string((*error).text.as_ptr())));
    }

    // Events in braces are a group; each group of events is one of the kernel's.
    let mut groups = Vec::new();
    for i in 0..perfgrp_events_nr_groups(events) {
        let flags = PERFGRP_CREATE_ENABLED | (*perfgrp_events_group(events, i)).create_flags;
        let group = perfgrp_create_all_cpus(dev, flags);
        if group.is_null() {
            return Err(string((*perfgrp_dev_error(dev)).text.as_ptr()));
        }
        if perfgrp_add_events(group, events, i) != 0 {
            return Err(string((*perfgrp_group_error(group)).text.as_ptr()));
        }
        groups.push(group);
    }

    // A snapshot that resets: what is counted between two is lost to neither.
    let flags = PERFGRP_SNAPSHOT_TOTALS | PERFGRP_SNAPSHOT_MIX_PMUS | PERFGRP_SNAPSHOT_RESET;
    for _ in 0..times {
        std::thread::sleep(interval);
        for (i, &group) in groups.iter().enumerate() {
            if perfgrp_take_snap(group, flags, snap) != 0 {
                return Err(string((*perfgrp_group_error(group)).text.as_ptr()));
            }
            let row = perfgrp_snap_row(snap, 0);
            for j in 0..(*perfgrp_events_group(events, i as u32)).nr {
                let event = perfgrp_events_at(events, i as u32, j);
                let value = perfgrp_snap_value(snap, row, (*(*event).counter).id);
                let state = string(perfgrp_state_name((*value).state.into()));
                println!(
                    "{:>16} {}, {}",
                    (*value).scaled,
                    string((*event).name),
                    state
                );
            }
        }
    }
    for group in groups {
        perfgrp_group_close(group);
    }
    perfgrp_close(dev);
    perfgrp_snap_free(snap);
    perfgrp_events_free(events);
    Ok(())
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |i: usize, default| args.get(i).map_or(Ok(default), |arg| arg.parse::<u32>());
    let text = args.get(1).map_or("{cycles,instructions}", |arg| arg);
    let (ms, times) = match (number(2, 1000), number(3, 1)) {
        (Ok(ms), Ok(times)) => (ms, times),
        _ => {
            eprintln!("usage: monitor [EVENTS [MILLISECONDS [TIMES]]]");
            std::process::exit(2);
        }
    };
    if let Err(why) = unsafe { monitor(text, Duration::from_millis(ms.into()), times) } {
        eprintln!("monitor: {}", why);
        std::process::exit(1);
    }
}
