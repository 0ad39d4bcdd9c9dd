//! Tables for people.

use super::{
    Findings,
    bars::bars,
    number::{keys, short},
    table::Table,
};
use crate::{
    bytes::Growth,
    checks::{Cell, Grid, Threads},
    depth::Depth,
    instructions::Count,
    machine::Machine,
    workload::{Skew, ZIPF_EXPONENT},
};

pub(crate) fn print(findings: &Findings) {
    print_machine(&findings.machine);
    if findings.depth == Depth::Quick {
        println!("A quick look: the numbers are worth little, and no bar is held against them.\n");
    }
    if let Some(grid) = &findings.checks {
        print_checks(grid);
    }
    if let Some(growths) = &findings.bytes {
        print_bytes(growths);
    }
    match &findings.instructions {
        Some(Some(counts)) => print_instructions(counts),
        Some(None) => {
            println!("Instructions per check: not counted, valgrind is not installed.\n");
        }
        None => {}
    }
    if let Some(rules) = &findings.rules {
        super::rules::print(rules);
    }
    if let Some(servers) = &findings.servers {
        super::servers::print(servers);
    }
    if let Some(redis) = &findings.redis {
        super::redis::print(redis);
    }
    if let Some(identity) = &findings.identity {
        super::identity::print(identity);
    }
    if let Some(client) = &findings.client {
        super::client::print(client);
    }
    if let Some(leases) = &findings.leases {
        super::leases::print(leases);
    }
    print_bars(findings);
}

fn print_machine(machine: &Machine) {
    let Machine {
        processor,
        cores,
        kernel,
        compiler,
        peers,
        load,
    } = machine;
    println!("Machine: {processor}, {cores} cores, Linux {kernel}, {compiler}.");
    println!("Peers: {peers}. Load when the run began: {load}.\n");
}

fn print_checks(grid: &Grid) {
    println!("One thread, uniform: nanoseconds per check · times governor's speed\n");
    println!("{}", check_table(grid, Skew::Uniform, Threads::One));
    println!("One thread, Zipf {ZIPF_EXPONENT}: nanoseconds per check · times governor's speed\n");
    println!("{}", check_table(grid, Skew::Zipf, Threads::One));
    println!("Two threads, uniform: million checks per second · times governor's rate\n");
    println!("{}", check_table(grid, Skew::Uniform, Threads::Two));
    println!(
        "Two threads, Zipf {ZIPF_EXPONENT}: million checks per second · times governor's rate\n"
    );
    println!("{}", check_table(grid, Skew::Zipf, Threads::Two));
}

fn check_table(grid: &Grid, skew: Skew, threads: Threads) -> Table {
    let sizes = grid.sizes();
    let mut table =
        Table::new(std::iter::once(String::new()).chain(sizes.iter().map(|&size| keys(size))));
    for kind in grid.kinds() {
        let cells = sizes.iter().map(|&keys| {
            let cell = Cell {
                kind,
                keys,
                skew,
                threads,
            };
            let number = match threads {
                Threads::One => grid.nanos(cell),
                Threads::Two => grid.millions_per_second(cell),
            };
            match (number, grid.times_governor(cell)) {
                (Some(number), Some(times)) => format!("{} · {}×", short(number), short(times)),
                (Some(number), None) => short(number),
                (None, _) => "–".to_owned(),
            }
        });
        table.row(std::iter::once(kind.name().to_owned()).chain(cells));
    }
    table
}

fn print_bytes(growths: &[Growth]) {
    println!("Resident memory, a process for each line\n");
    let head = ["", "keys", "bytes per key", "whole process, MB"];
    let mut table = Table::new(head.map(str::to_owned));
    for growth in growths {
        table.row([
            growth.kind.name().to_owned(),
            keys(growth.keys),
            short(growth.per_key()),
            short(growth.after as f64 / 1e6),
        ]);
    }
    println!("{table}");
}

fn print_instructions(counts: &[Count]) {
    println!("Instructions per check (callgrind)\n");
    let mut table = Table::new(["", "keys", "instructions"].map(str::to_owned));
    for count in counts {
        table.row([
            count.kind.name().to_owned(),
            keys(count.keys),
            short(count.per_check),
        ]);
    }
    println!("{table}");
}

fn print_bars(findings: &Findings) {
    let bars = bars(findings);
    if bars.is_empty() {
        return;
    }
    println!("Bars\n");
    let mut table = Table::new(["", "asked", "measured", "met"].map(str::to_owned));
    for bar in bars {
        table.row([
            bar.what,
            bar.asked,
            format!("{} {}", short(bar.measured), bar.unit),
            if bar.is_met { "met" } else { "MISSED" }.to_owned(),
        ]);
    }
    println!("{table}");
}
