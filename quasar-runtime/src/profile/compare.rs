//! The comparison of two reports: which row is which, what became faster or slower, and whether that is sure.

use super::confidence::{Ratio, median};
use super::report::{Kind, Report, Row};
use super::text::{columns, place, time};

/// All that is said to be faster or slower is so with a probability of 95 %.
const ERROR: f64 = 0.05;

/// The rows of two reports that belong together; one is missing where something is new or gone.
type Pair<'r> = (Option<&'r Row>, Option<&'r Row>);

impl Report {
    /// What became faster or slower since an earlier report, row by row, and how sure that is. Reports of programs that have no
    /// kernel in common are refused.
    ///
    /// # Errors
    /// What keeps them from being compared.
    pub fn compared_to(&self, before: &Report) -> Result<String, String> {
        let pairs = pairs(before, self);
        self.belongs_to(before, &pairs)?;
        let compared = pairs.iter().filter(|(old, now)| old.is_some() && now.is_some()).count();
        // Of many rows one would look different by chance, so each of them has to be surer.
        let error = ERROR / compared.max(1) as f64;
        let mut text = String::new();
        if place(&before.program, 0) != place(&self.program, 0) {
            text += &format!(
                "the programs have different names: {} before, {} now\n",
                before.program, self.program
            );
        }
        if before.machine != self.machine {
            text += &format!("the machines differ: {} before, {} now\n", before.machine, self.machine);
        }
        text += &format!(
            "from beginning to end: {} before, {} now, {}\n\n",
            time(before.wall as f64),
            time(self.wall as f64),
            speed_up(before.wall as f64 / self.wall as f64)
        );
        let head =
            ["verdict", "speed-up", "95 % sure", "median before", "median now", "total before", "total now"];
        let head = head.into_iter().chain(["kind", "name", "place", "device"]);
        let mut rows = vec![head.map(str::to_owned).collect::<Vec<_>>()];
        rows.extend(pairs.iter().filter_map(|pair| line(*pair, error)));
        text += &columns(&rows, 7);
        if compared > 0 {
            text += "\nfaster, slower: that they differ is sure, with 95 % for all rows together. alike: calls differ as much within a run.\n\
                     few calls: too few to say. What differs between runs and not within one is not in the intervals: measure twice.\n";
        }
        Ok(text)
    }

    /// Refuses a report of another program.
    fn belongs_to(&self, before: &Report, pairs: &[Pair<'_>]) -> Result<(), String> {
        let has_kernels = |report: &Report| report.rows.iter().any(|row| row.kind == Kind::Kernel);
        let common =
            pairs.iter().any(|(old, now)| old.is_some_and(|row| row.kind == Kind::Kernel) && now.is_some());
        let same = place(&before.program, 0) == place(&self.program, 0);
        if has_kernels(before) && has_kernels(self) && !common && !same {
            return Err(format!(
                "the reports are of different programs, {} and {}: they have no kernel in common",
                before.program, self.program
            ));
        }
        Ok(())
    }
}

/// The rows that belong together, those of now in their order, and behind them those that are gone.
fn pairs<'r>(before: &'r Report, now: &'r Report) -> Vec<Pair<'r>> {
    let mut old: Vec<Option<&Row>> = before.rows.iter().map(Some).collect();
    let mut found: Vec<Pair<'r>> = now.rows.iter().map(|row| (None, Some(row))).collect();
    let same_device = |a: &Row, b: &Row| is_named_alike(a, b) && a.device == b.device;
    // A kernel that moved to another device is compared with what it was there.
    let moved = |a: &Row, b: &Row| is_named_alike(a, b) && a.kind == Kind::Kernel;
    for alike in [&same_device as &dyn Fn(&Row, &Row) -> bool, &moved] {
        for (earlier, row) in &mut found {
            let Some(row) = row.filter(|_| earlier.is_none()) else { continue };
            let at = old.iter().position(|old| old.is_some_and(|old| alike(old, row)));
            *earlier = at.and_then(|at| old.get_mut(at)?.take());
        }
    }
    pair_by_order(&mut old, &mut found);
    found.extend(old.into_iter().flatten().map(|row| (Some(row), None)));
    found
}

/// Names of kernels end with their lines, which change when lines are added above. What is left over of a function is paired in the
/// order of the lines, where both reports have as many.
fn pair_by_order<'r>(old: &mut [Option<&'r Row>], found: &mut [Pair<'r>]) {
    let stem = |row: &Row| {
        let name = row.name.trim_end_matches(|c: char| c.is_ascii_digit());
        let numbered = row.kind == Kind::Kernel && name.ends_with("_line");
        numbered.then(|| (name.to_owned(), place(&row.file, 0), row.device.clone()))
    };
    let mut stems: Vec<_> = old.iter().flatten().filter_map(|row| stem(row)).collect();
    stems.sort();
    stems.dedup();
    for wanted in stems {
        let is_wanted = |row: &Row| stem(row).as_ref() == Some(&wanted);
        let mut left: Vec<(u32, usize)> = (old.iter().enumerate())
            .filter_map(|(k, row)| row.filter(|row| is_wanted(row)).map(|row| (row.line, k)))
            .collect();
        let mut new: Vec<(u32, usize)> = (found.iter().enumerate())
            .filter(|(_, (earlier, _))| earlier.is_none())
            .filter_map(|(k, (_, row))| row.filter(|row| is_wanted(row)).map(|row| (row.line, k)))
            .collect();
        if left.len() != new.len() {
            continue;
        }
        left.sort_unstable();
        new.sort_unstable();
        for ((_, from), (_, to)) in left.into_iter().zip(new) {
            if let (Some(from), Some(to)) = (old.get_mut(from), found.get_mut(to)) {
                to.0 = from.take();
            }
        }
    }
}

fn is_named_alike(a: &Row, b: &Row) -> bool {
    (a.kind, &a.name) == (b.kind, &b.name) && place(&a.file, 0) == place(&b.file, 0)
}

/// A line of the table.
fn line((old, now): Pair<'_>, error: f64) -> Option<Vec<String>> {
    let row = now.or(old)?;
    let unknown = || "-".to_owned();
    let of = |row: Option<&Row>, value: &dyn Fn(&Row) -> Option<f64>| {
        row.and_then(value).map_or_else(unknown, time)
    };
    let total = |row: &Row| Some(row.total as f64);
    let typical = |row: &Row| median(&row.samples);
    let ratio = old.zip(now).and_then(|(old, now)| Ratio::of(&old.samples, &now.samples, error));
    let interval = ratio.and_then(|ratio| ratio.interval);
    Some(vec![
        verdict((old, now), ratio).to_owned(),
        ratio.map_or_else(unknown, |ratio| speed_up(ratio.estimate)),
        interval.map_or_else(unknown, |(low, high)| format!("{low:.2}..{high:.2}")),
        of(old, &typical),
        of(now, &typical),
        of(old, &total),
        of(now, &total),
        row.kind.name().to_owned(),
        changed((old, now), |row| row.name.clone()),
        changed((old, now), |row| place(&row.file, row.line)),
        changed((old, now), |row| row.device.clone()),
    ])
}

/// A text of a row, or that of before and that of now.
fn changed((old, now): Pair<'_>, text: impl Fn(&Row) -> String) -> String {
    match (old.map(&text), now.map(&text)) {
        (Some(old), Some(now)) if old != now => format!("{old}, now {now}"),
        (old, now) => now.or(old).unwrap_or_default(),
    }
}

fn verdict(pair: Pair<'_>, ratio: Option<Ratio>) -> &'static str {
    match (pair, ratio) {
        ((None, _), _) => "new",
        ((_, None), _) => "gone",
        (_, Some(ratio)) if ratio.is_sure() && ratio.estimate > 1.0 => "faster",
        (_, Some(ratio)) if ratio.is_sure() => "slower",
        (_, Some(Ratio { interval: Some(_), .. })) => "alike",
        _ => "few calls",
    }
}

fn speed_up(ratio: f64) -> String {
    if ratio.is_finite() && ratio > 0.0 { format!("{ratio:.2} x") } else { "-".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::report::example;

    /// The example with so many calls of its kernel, each of about so many nanoseconds.
    fn report(calls: usize, length: u64) -> Report {
        let mut report = example();
        report.rows[0].samples =
            (0..calls as u64).map(|k| length / 1000 * (1000 + (k * 7919) % 50)).collect();
        report
    }

    fn of(text: &str, name: &str) -> String {
        text.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name} in {text}")).to_owned()
    }

    #[test]
    fn differences_have_their_intervals() {
        let said = |now: &Report| of(&now.compared_to(&report(40, 4_000_000)).unwrap(), "main_line5");
        let faster = said(&report(40, 1_000_000));
        assert!(faster.trim_start().starts_with("faster    4.00 x  3.9"), "{faster}");
        assert!(said(&report(40, 4_400_000)).trim_start().starts_with("slower    0.91 x"));
        assert!(said(&report(40, 4_000_000)).trim_start().starts_with("alike    1.00 x"));
        let few = said(&report(1, 1_000_000));
        assert!(
            few.trim_start().starts_with("few calls") && few.contains("4.10 x") && few.contains(" - "),
            "{few}"
        );
    }

    #[test]
    fn rows_are_new_gone_or_moved() {
        let before = report(40, 4_000_000);
        let mut now = report(40, 1_000_000);
        now.rows[1].name = "from the device".into();
        let text = now.compared_to(&before).unwrap();
        assert!(of(&text, "from the device").trim_start().starts_with("new"), "{text}");
        assert!(of(&text, "to the device").trim_start().starts_with("gone"), "{text}");
        assert!(text.contains("40.0 ms before, 40.0 ms now, 1.00 x"), "{text}");
        now.rows[0].device = "GPU".into();
        let text = now.compared_to(&before).unwrap();
        let moved = of(&text, "main_line5");
        assert!(moved.contains("4.00 x") && moved.ends_with("CPU, now GPU"), "{text}");
        assert_eq!(text.matches("main_line5").count(), 1, "{text}");
    }

    #[test]
    fn kernels_are_found_again_where_lines_were_added() {
        let mut before = report(40, 4_000_000);
        let other = Row { name: "main_line8".into(), line: 8, ..before.rows[0].clone() };
        before.rows.push(other);
        let mut now = before.clone();
        now.rows[0].name = "main_line7".into();
        now.rows[0].line = 7;
        now.rows[2].name = "main_line10".into();
        now.rows[2].line = 10;
        let text = now.compared_to(&before).unwrap();
        assert!(
            text.contains("main_line5, now main_line7") && text.contains("main_line8, now main_line10"),
            "{text}"
        );
        // What was added or removed besides leaves it open which is which.
        now.rows.pop();
        let text = now.compared_to(&before).unwrap();
        assert_eq!((text.matches("gone").count(), text.matches("new").count()), (2, 1), "{text}");
    }

    #[test]
    fn other_programs_are_refused() {
        let before = report(40, 4_000_000);
        let mut other = before.clone();
        other.program = "/folder/other".into();
        other.rows[0].name = "blur".into();
        let refused = other.compared_to(&before).unwrap_err();
        assert!(refused.contains("different programs, /folder/program and /folder/other"), "{refused}");
        other.rows[0].name = "main_line5".into();
        assert!(other.compared_to(&before).unwrap().starts_with("the programs have different names"));
        other.machine = "another".into();
        assert!(other.compared_to(&before).unwrap().contains("the machines differ"));
    }
}
