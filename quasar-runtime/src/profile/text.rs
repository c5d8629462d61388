//! Reports as texts for terminals: the table, the lines of the source with their times, the comparison of two.

use super::report::{Kind, Report, Row};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A time with three digits and its unit.
fn time(nanoseconds: f64) -> String {
    let (x, unit) = match nanoseconds {
        x if x < 1e3 => return format!("{x:.0} ns"),
        x if x < 1e6 => (x / 1e3, "us"),
        x if x < 1e9 => (x / 1e6, "ms"),
        x => (x / 1e9, "s"),
    };
    let digits = if x < 10.0 { 2 } else { usize::from(x < 100.0) };
    format!("{x:.digits$} {unit}")
}

fn bytes(count: u64) -> String {
    match count as f64 {
        0.0 => "-".to_owned(),
        x if x < 1e3 => format!("{x:.0} B"),
        x if x < 1e6 => format!("{:.1} kB", x / 1e3),
        x if x < 1e9 => format!("{:.1} MB", x / 1e6),
        x => format!("{:.1} GB", x / 1e9),
    }
}

/// `x.q:5`, without the folder, which is the same for most.
pub(super) fn place(file: &str, line: u32) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    match (name, line) {
        ("", _) => String::new(),
        (name, 0) => name.to_owned(),
        (name, line) => format!("{name}:{line}"),
    }
}

fn extents(row: &Row) -> String {
    let times = |n: &[u32; 3]| {
        let last = n.iter().rposition(|&n| n != 1).unwrap_or(0);
        n.iter().take(last + 1).map(u32::to_string).collect::<Vec<_>>().join("x")
    };
    match (row.kind, row.grid, row.block) {
        (Kind::Kernel, grid, [0, ..]) if grid != [0; 3] => times(&grid),
        (Kind::Kernel, grid, block) if grid != [0; 3] => format!("{} of {}", times(&grid), times(&block)),
        _ => String::new(),
    }
}

/// Lines whose columns stand below each other; the first `right` columns are flush right.
fn columns(rows: &[Vec<String>], right: usize) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count)
        .map(|k| rows.iter().filter_map(|row| row.get(k)).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (k, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = match k < right {
                true => write!(line, "{cell:>width$}  "),
                false => write!(line, "{cell:<width$}  "),
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

impl Report {
    fn measured(&self) -> u64 {
        self.rows.iter().map(|row| row.total).sum()
    }

    fn share(&self, total: u64) -> String {
        format!("{:.1} %", 100.0 * total as f64 / self.measured().max(1) as f64)
    }

    /// The table of what took time, the longest first.
    pub fn table(&self) -> String {
        let mut text = format!(
            "{}: {} from beginning to end, {} measured in calls\n\n",
            place(&self.program, 0),
            time(self.wall as f64),
            time(self.measured() as f64)
        );
        if self.rows.is_empty() {
            text.push_str("Nothing was measured: no kernels, copies or calls of the library.\n");
            return text;
        }
        let head = ["share", "total", "calls", "mean", "min", "max", "bytes", "GB/s"];
        let head = head.into_iter().chain(["kind", "name", "place", "device", "size"]);
        let mut rows = vec![head.map(str::to_owned).collect::<Vec<_>>()];
        for row in &self.rows {
            let timed = row.count > row.untimed;
            let of = |x: f64| if timed { time(x) } else { "?".to_owned() };
            let rate = match (row.total, row.bytes, row.kind) {
                (0, ..) | (_, 0, _) | (_, _, Kind::Allocation) => "-".to_owned(),
                (total, bytes, _) => format!("{:.1}", bytes as f64 / total as f64),
            };
            rows.push(vec![
                self.share(row.total),
                of(row.total as f64),
                row.count.to_string(),
                of(row.mean()),
                of(row.min as f64),
                of(row.max as f64),
                bytes(row.bytes),
                rate,
                row.kind.name().to_owned(),
                row.name.clone(),
                place(&row.file, row.line),
                row.device.clone(),
                extents(row),
            ]);
        }
        text.push_str(&columns(&rows, 8));
        let untimed: u64 = self.rows.iter().map(|row| row.untimed).sum();
        if untimed > 0 {
            let _ = writeln!(
                text,
                "\nThe time of {untimed} launches is unknown: the device did not tell it before the program ended, or was \
                 in use before the measurement began."
            );
        }
        if self.left_out > 0 {
            let _ = writeln!(
                text,
                "\nThe timeline is without the last {} calls; the table counts all.",
                self.left_out
            );
        }
        text
    }

    /// The lines of the sources where kernels begin, with the time of each. `read` gives the text of a file, or says why not.
    pub fn annotated(&self, mut read: impl FnMut(&str) -> std::result::Result<String, String>) -> String {
        const AROUND: usize = 2;
        let mut files: BTreeMap<&str, BTreeMap<usize, (u64, u64)>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.line > 0 && !row.file.is_empty()) {
            let sums = files.entry(&row.file).or_default().entry(row.line as usize).or_default();
            *sums = (sums.0 + row.total, sums.1 + row.count);
        }
        let mut text = String::new();
        for (file, lines) in files {
            let _ = writeln!(text, "{file}");
            let source = match read(file) {
                Ok(source) => source,
                Err(message) => {
                    let _ = writeln!(text, "  the source cannot be shown: {message}");
                    continue;
                }
            };
            let mut last = 0;
            let mut rows = Vec::new();
            for (k, line) in source.lines().enumerate().map(|(k, line)| (k + 1, line)) {
                let near = |k: usize| lines.keys().any(|&at| at.abs_diff(k) <= AROUND);
                // A single line takes no more room than the sign for what is left out.
                if !(near(k) || near(k - 1) && near(k + 1)) {
                    continue;
                }
                if last + 1 != k && last > 0 {
                    rows.push(vec![String::new(), String::new(), String::new(), "...".to_owned()]);
                }
                last = k;
                let (share, total) = lines.get(&k).map_or_else(Default::default, |(total, count)| {
                    (self.share(*total), format!("{} in {count}", time(*total as f64)))
                });
                rows.push(vec![share, total, k.to_string(), format!("| {line}")]);
            }
            if lines.keys().any(|&line| line > source.lines().count()) {
                rows.push(vec![
                    String::new(),
                    String::new(),
                    String::new(),
                    "the file has changed since".to_owned(),
                ]);
            }
            text.push_str(&columns(&rows, 3));
        }
        if text.is_empty() {
            text.push_str("No kernel has a place in a source.\n");
        }
        text
    }

    /// How much faster this report is than an earlier one, for each row that both have.
    pub fn compared_to(&self, before: &Report) -> String {
        let alike = |a: &Row, b: &Row| {
            (a.kind, &a.name) == (b.kind, &b.name) && place(&a.file, 0) == place(&b.file, 0)
        };
        let same = |a: &Row, b: &Row| alike(a, b) && a.device == b.device;
        let kept = |old: &Row| self.rows.iter().any(|row| same(old, row));
        // A kernel that moved to another device is compared with what it was there.
        let moved = |row: &Row| {
            let mut others = before.rows.iter().filter(|old| alike(old, row) && !kept(old));
            others.next().filter(|_| row.kind == Kind::Kernel)
        };
        let old_of = |row: &Row| before.rows.iter().find(|old| same(old, row)).or_else(|| moved(row));
        let mut text = format!(
            "from beginning to end: {} before, {} now, {}\n\n",
            time(before.wall as f64),
            time(self.wall as f64),
            speed_up(before.wall as f64, self.wall as f64)
        );
        let head = [
            "mean before",
            "mean now",
            "speed-up",
            "total before",
            "total now",
            "kind",
            "name",
            "place",
            "device",
        ];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        let missing = || "-".to_owned();
        for row in &self.rows {
            let old = old_of(row);
            rows.push(vec![
                old.map_or_else(missing, |old| time(old.mean())),
                time(row.mean()),
                old.map_or_else(|| "new".to_owned(), |old| speed_up(old.mean(), row.mean())),
                old.map_or_else(missing, |old| time(old.total as f64)),
                time(row.total as f64),
                row.kind.name().to_owned(),
                row.name.clone(),
                place(&row.file, row.line),
                match old {
                    Some(old) if old.device != row.device => format!("{}, now {}", old.device, row.device),
                    _ => row.device.clone(),
                },
            ]);
        }
        let gone =
            |old: &&Row| !self.rows.iter().any(|row| old_of(row).is_some_and(|of| std::ptr::eq(of, *old)));
        for old in before.rows.iter().filter(gone) {
            rows.push(vec![
                time(old.mean()),
                missing(),
                "gone".to_owned(),
                time(old.total as f64),
                missing(),
                old.kind.name().to_owned(),
                old.name.clone(),
                place(&old.file, old.line),
                old.device.clone(),
            ]);
        }
        text.push_str(&columns(&rows, 5));
        text
    }
}

fn speed_up(before: f64, now: f64) -> String {
    if before <= 0.0 || now <= 0.0 { "-".to_owned() } else { format!("{:.2} x", before / now) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let row = |kind, name: &str, line, count, total, bytes| Row {
            kind,
            name: name.into(),
            file: if line > 0 { "/folder/x.q".into() } else { String::new() },
            line,
            device: if line > 0 { "CPU".into() } else { "Fake \"one\"".into() },
            count,
            untimed: 0,
            total,
            min: total / count,
            max: total / count,
            bytes,
            grid: if line > 0 { [1000, 1000, 1] } else { [0; 3] },
            block: [0; 3],
        };
        Report {
            program: "/folder/program".into(),
            wall: 40_000_000,
            rows: vec![
                row(Kind::Kernel, "main_line5", 2, 10, 30_000_000, 80_000_000),
                row(Kind::Copy, "to the device", 0, 1, 1_500, 4_000),
            ],
            events: Vec::new(),
            left_out: 3,
        }
    }

    #[test]
    fn the_table_has_a_line_for_each() {
        let expected = "\
program: 40.0 ms from beginning to end, 30.0 ms measured in calls

  share    total  calls     mean      min      max    bytes  GB/s  kind    name           place  device      size
100.0 %  30.0 ms     10  3.00 ms  3.00 ms  3.00 ms  80.0 MB   2.7  kernel  main_line5     x.q:2  CPU         1000x1000
  0.0 %  1.50 us      1  1.50 us  1.50 us  1.50 us   4.0 kB   2.7  copy    to the device         Fake \"one\"

The timeline is without the last 3 calls; the table counts all.
";
        assert_eq!(report().table(), expected);
        assert!(Report::default().table().contains("Nothing was measured"));
    }

    #[test]
    fn lines_of_the_source_have_their_times() {
        let source = "a\nfor m = 0..9\nb\nc\nd\n";
        let expected = "\
/folder/x.q
                   1  | a
100.0 %  30.0 ms in 10  2  | for m = 0..9
                        3  | b
";
        let found = report().annotated(|file| {
            assert_eq!(file, "/folder/x.q");
            Ok(source.into())
        });
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&found), [words(expected), words("4 | c")].concat());
        assert!(report().annotated(|_| Err("no file".into())).contains("cannot be shown: no file"));
        assert!(report().annotated(|_| Ok("a".into())).contains("has changed"));
    }

    #[test]
    fn comparisons_say_what_is_faster_new_and_gone() {
        let before = report();
        let mut now = report();
        now.rows[0].total /= 4;
        now.rows[0].line = 7;
        now.rows[1].name = "from the device".into();
        let text = now.compared_to(&before);
        let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap().to_owned();
        assert!(line("main_line5").contains("4.00 x"), "{text}");
        assert!(line("from the device").contains("new"), "{text}");
        assert!(line("to the device").contains("gone"), "{text}");
        assert!(text.contains("40.0 ms before, 40.0 ms now, 1.00 x"), "{text}");
        now.rows[0].device = "GPU".into();
        let text = now.compared_to(&before);
        let moved = text.lines().find(|line| line.contains("main_line5")).unwrap();
        assert!(moved.contains("4.00 x") && moved.ends_with("CPU, now GPU"), "{text}");
        assert_eq!(text.matches("main_line5").count(), 1, "{text}");
    }

    #[test]
    fn reports_come_back_from_their_file() {
        let report = report();
        let text = report.to_json();
        assert_eq!(Report::parse(&text), Ok(report));
        for end in (0..text.trim_end().len()).filter(|&end| text.is_char_boundary(end)) {
            assert!(Report::parse(&text[..end]).is_err(), "{end}");
        }
        for (from, to, said) in [
            ("\"quasar_profile\": 1", "\"quasar_profile\": 2", "version 2"),
            ("\"quasar_profile\"", "\"traceEvents\"", "no report of a Quasar program"),
            ("\"count\": 10", "\"count\": -1", "damaged"),
            ("\"count\": 10", "\"count\": 1.5", "damaged"),
            ("\"kernel\"", "\"colonel\"", "damaged"),
            ("[1000, 1000, 1]", "[1000, 1000]", "damaged"),
            ("{", "", "no report, or a damaged one: line 1"),
        ] {
            let message = Report::parse(&text.replacen(from, to, 1)).unwrap_err();
            assert!(message.contains(said), "{message}");
        }
    }
}
