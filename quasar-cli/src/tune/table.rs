//! What `quasar tune` shows: how far it is, and the table at the end.

use super::{Candidate, best_of, definitions};
use quasar_core::query::tuning::TuningParam;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::time::Duration;

/// At most so many combinations are listed.
const ROWS: usize = 24;

/// A line on a terminal that says how far the search is.
pub(super) struct Progress {
    count: usize,
    budget: Duration,
    shown: bool,
}

impl Progress {
    pub(super) fn new(count: usize, budget: Duration) -> Progress {
        Progress { count, budget, shown: std::io::stderr().is_terminal() }
    }

    pub(super) fn show(&mut self, done: usize, passed: Duration, best: f64) {
        if self.shown {
            let line = bar(done, self.count, passed, self.budget, best);
            let _ = write!(std::io::stderr(), "\r{line}\u{1b}[K");
        }
    }

    pub(super) fn end(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\u{1b}[K");
        }
    }
}

/// The part that is done: of the combinations where all are tried, otherwise of the time.
fn bar(done: usize, count: usize, passed: Duration, budget: Duration, best: f64) -> String {
    let part = passed.as_secs_f64() / budget.as_secs_f64().max(1e-9);
    let part = if count <= super::search::ALL { part.max(done as f64 / count.max(1) as f64) } else { part };
    let full = (part.clamp(0.0, 1.0) * 30.0) as usize;
    let bar: String = "#".repeat(full) + &"-".repeat(30 - full);
    format!("[{bar}] {done} of {count} combinations, {:.0} s, best {best:.4} ms", passed.as_secs_f64())
}

/// A combination as text.
fn named(params: &[TuningParam], candidate: &Candidate) -> String {
    let values: Vec<String> = params
        .iter()
        .zip(&candidate.values)
        .map(|(param, value)| match param.range[*value].as_str() {
            "" => format!("{}: as chosen", param.name),
            value => format!("{} = {value}", param.name),
        })
        .collect();
    values.join(", ")
}

/// The table: own values first, then the fastest, then what cannot be chosen.
pub(super) fn shown(params: &[TuningParam], tried: &[Candidate], device: &str) -> String {
    let Some(own) = tried.first() else { return String::new() };
    let mut order: Vec<usize> = (1..tried.len()).collect();
    order.sort_by(|a, b| tried[*a].time().total_cmp(&tried[*b].time()));
    let listed: Vec<usize> = std::iter::once(0).chain(order).take(ROWS).collect();
    let names: Vec<String> = listed.iter().map(|k| named(params, &tried[*k])).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(11) + 2;
    let mut text = format!(
        "{device}\n{:width$}{:>12}{:>12}{:>8}  checked\n",
        "combination", "least ms", "median ms", "ratio"
    );
    for (k, name) in listed.iter().zip(&names) {
        let candidate = &tried[*k];
        let note = if *k == 0 { " (the program's own)" } else { "" };
        let _ = match (&candidate.result, &candidate.difference) {
            (Ok(times), difference) => {
                let checked = difference.as_ref().map_or("yes".to_owned(), |why| format!("NO: {why}"));
                let ratio = times.typical() / own.time();
                writeln!(
                    text,
                    "{name:width$}{:>12.4}{:>12.4}{ratio:>8.2}  {checked}{note}",
                    times.least(),
                    times.median()
                )
            }
            (Err(why), _) => {
                writeln!(text, "{name:width$}{:>12}{:>12}{:>8}  {}", "-", "-", "-", first_line(why))
            }
        };
    }
    if tried.len() > ROWS {
        let _ = writeln!(text, "({} more)", tried.len() - ROWS);
    }
    text + &summary(params, tried)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// How far the program's own values are from the best.
fn summary(params: &[TuningParam], tried: &[Candidate]) -> String {
    let (best, all) = (best_of(tried), params.iter().fold(1_usize, |n, p| n.saturating_mul(p.range.len())));
    let wrong = tried.iter().filter(|candidate| candidate.difference.is_some()).count();
    let mut text = match wrong {
        0 => String::new(),
        1 => "Warning: 1 combination prints something else, and is not chosen\n".to_owned(),
        _ => format!("Warning: {wrong} combinations print something else, and are not chosen\n"),
    };
    let of = format!("{} of {all} combinations were measured", tried.len());
    let _ = match (tried.first(), tried.get(best)) {
        (Some(own), Some(chosen)) if best > 0 => {
            let values = definitions(params, &chosen.values);
            let values: Vec<String> =
                values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            writeln!(
                text,
                "best: {}; the program's own values take {:.2} times as long ({of})",
                if values.is_empty() {
                    "the choice of the run-time system".to_owned()
                } else {
                    values.join(", ")
                },
                own.time() / chosen.time()
            )
        }
        _ => writeln!(text, "best: the program's own values, within 3 % ({of})"),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::super::measure::Times;
    use super::*;

    fn candidate(value: usize, ms: f64, difference: Option<&str>) -> Candidate {
        let times = Times { runs: vec![2.0 * ms, ms, 1.5 * ms], printed: String::new() };
        Candidate { values: vec![value], result: Ok(times), difference: difference.map(str::to_owned) }
    }

    fn params() -> Vec<TuningParam> {
        let range = ["1", "2", "4", "8"].map(str::to_owned).to_vec();
        let (name, default) = ("$u".to_owned(), "1".to_owned());
        let (places, defaults) = (Vec::new(), Vec::new());
        vec![TuningParam { name, range, default, desc: String::new(), places, defaults, implied: false }]
    }

    #[test]
    fn the_table_has_ratios_and_what_cannot_be_chosen() {
        let broken = Candidate { values: vec![3], result: Err("Error: no\nmore".into()), difference: None };
        let tried =
            [candidate(0, 4.0, None), candidate(1, 1.0, Some("it differs")), candidate(2, 2.0, None), broken];
        let expected = "cpu, x
combination      least ms   median ms   ratio  checked
$u = 1             4.0000      6.0000    1.00  yes (the program's own)
$u = 4             2.0000      3.0000    0.50  yes
$u = 2             1.0000      1.5000    0.25  NO: it differs
$u = 8                  -           -       -  Error: no
Warning: 1 combination prints something else, and is not chosen
best: $u = 4; the program's own values take 2.00 times as long (4 of 4 combinations were measured)
";
        assert_eq!(shown(&params(), &tried, "cpu, x"), expected);
        let same = [candidate(0, 4.0, None), candidate(1, 3.95, None)];
        assert!(
            shown(&params(), &same, "").ends_with(
                "best: the program's own values, within 3 % (2 of 4 combinations were measured)\n"
            )
        );
    }

    #[test]
    fn the_bar_fills() {
        let second = Duration::from_secs(1);
        assert_eq!(
            bar(15, 30, second, 100 * second, 1.5),
            "[###############---------------] 15 of 30 combinations, 1 s, best 1.5000 ms"
        );
        assert!(
            bar(15, 1000, 200 * second, 100 * second, 1.5).starts_with("[##############################]")
        );
    }
}
