//! `cargo xtask mutants`, with and without `--list`.

use anyhow::bail;

use super::catalogue::{self, CATALOGUE, Mutant};
use super::report::{self, Outcome, Row};
use super::trial::Workshop;
use crate::stopwatch::Stopwatch;
use crate::table;
use crate::task::root;

pub(crate) fn list() -> anyhow::Result<()> {
    let mutants = catalogue::load(&root().join(CATALOGUE))?;
    let rows: Vec<Vec<String>> = mutants
        .into_iter()
        .map(|mutant| vec![mutant.name, mutant.package, mutant.file, mutant.why])
        .collect();
    print!(
        "{}",
        table::render(&["name", "package", "file", "why"], &rows)
    );
    Ok(())
}

pub(crate) fn run(names: &[String]) -> anyhow::Result<()> {
    let mutants = catalogue::chosen(catalogue::load(&root().join(CATALOGUE))?, names)?;
    if mutants.is_empty() {
        println!("{CATALOGUE} lists no mutant");
        return Ok(());
    }
    let workshop = Workshop::open(&root())?;
    for mutant in &mutants {
        workshop.text(mutant)?;
    }
    println!("The tests without any mutant:");
    workshop.baseline(&mutants)?;
    let rows = mutants
        .iter()
        .map(|mutant| attempt(&workshop, mutant))
        .collect::<Result<Vec<_>, _>>()?;
    print!("\n{}", report::render(&rows));
    let failed = rows.iter().filter(|row| !row.outcome.is_caught()).count();
    if failed > 0 {
        bail!("{failed} of {} mutants turned no test red", rows.len());
    }
    Ok(())
}

fn attempt(workshop: &Workshop, mutant: &Mutant) -> anyhow::Result<Row> {
    println!("{}: {}", mutant.name, mutant.why);
    let watch = Stopwatch::start();
    let outcome = workshop.attempt(mutant)?;
    if let Outcome::DoesNotCompile(compiler) = &outcome {
        println!("{compiler}");
    }
    Ok(Row {
        name: mutant.name.clone(),
        outcome,
        time: watch.elapsed(),
    })
}
