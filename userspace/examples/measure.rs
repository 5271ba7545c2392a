// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//! What a function of this program counts, with libperfgrp from Rust.
//!
//! ```text
//! bindgen /usr/include/perfgrp/perfgrp.h >perfgrp.rs
//! rustc -O measure.rs -l perfgrp
//! ./measure '{instructions:u,branches:u}'
//! ```

use perfgrp::*;
use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::ptr::null_mut;

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

/// A group of events on the thread that made it. It has pointers, so that Rust sends it to no other.
struct Meter {
    dev: *mut perfgrp_dev,
    events: *mut perfgrp_events,
    group: *mut perfgrp_group,
    snap: *mut perfgrp_snap,
}

impl Meter {
    /// `text` names one group of events.
    fn new(text: &str) -> Result<Meter, String> {
        let c_text = CString::new(text).map_err(|e| e.to_string())?;
        unsafe {
            let mut meter = Meter {
                dev: perfgrp_open(),
                events: perfgrp_events_new(),
                group: null_mut(),
                snap: perfgrp_snap_new(),
            };
            if meter.dev.is_null() {
                let error = std::io::Error::last_os_error();
                return Err(string(perfgrp_open_error(
                    error.raw_os_error().unwrap_or(0),
                )));
            }
            if perfgrp_parse_events(meter.events, c_text.as_ptr()) != 0 {
                return Err(string((*perfgrp_events_error(meter.events)).text.as_ptr()));
            }
            let flags = (*perfgrp_events_group(meter.events, 0)).create_flags;
            meter.group = perfgrp_create_task(meter.dev, 0, flags);
            if meter.group.is_null() {
                return Err(string((*perfgrp_dev_error(meter.dev)).text.as_ptr()));
            }
            if perfgrp_add_events(meter.group, meter.events, 0) != 0 {
                return Err(meter.why());
            }
            Ok(meter)
        }
    }

    fn why(&self) -> String {
        unsafe { string((*perfgrp_group_error(self.group)).text.as_ptr()) }
    }

    /// Runs `function`. Of each event what it has counted, or None if it never was on the PMU.
    fn measure<T>(
        &mut self,
        function: impl FnOnce() -> T,
    ) -> Result<(T, Vec<(String, Option<u64>)>), String> {
        unsafe {
            if perfgrp_reset(self.group) != 0 || perfgrp_enable(self.group) != 0 {
                return Err(self.why());
            }
            let result = function();
            if perfgrp_disable(self.group) != 0 || perfgrp_take_snap(self.group, 0, self.snap) != 0
            {
                return Err(self.why());
            }
            let row = perfgrp_snap_row(self.snap, 0);
            let nr = (*perfgrp_events_group(self.events, 0)).nr;
            let counts = (0..nr).map(|i| {
                let event = perfgrp_events_at(self.events, 0, i);
                let value = perfgrp_snap_value(self.snap, row, (*(*event).counter).id);
                let ran = u32::from((*value).flags) & PERFGRP_VALUE_SCALED != 0;
                (string((*event).name), ran.then(|| (*value).scaled))
            });
            Ok((result, counts.collect()))
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        unsafe {
            perfgrp_group_close(self.group);
            perfgrp_snap_free(self.snap);
            perfgrp_events_free(self.events);
            perfgrp_close(self.dev);
        }
    }
}

/// The function in question: primes below `limit`.
fn primes(limit: u32) -> usize {
    (2..limit)
        .filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0))
        .count()
}

fn run(text: &str) -> Result<(), String> {
    let mut meter = Meter::new(text)?;
    let (found, counts) = meter.measure(|| primes(1000))?;
    println!("{} primes", found);
    for (name, count) in counts {
        match count {
            Some(count) => println!("{:>16} {}", count, name),
            None => println!("{:>16} {}", "never ran", name),
        }
    }
    Ok(())
}

fn main() {
    let text = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "{instructions:u,branches:u}".into());
    if let Err(why) = run(&text) {
        eprintln!("measure: {}", why);
        std::process::exit(1);
    }
}
