//! Reports as texts for terminals: the table, the lines of the source with their times, the comparison of two.

use super::report::{Kind, Report, Row};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A time with three digits and its unit.
pub fn time(nanoseconds: f64) -> String {
    let (x, unit) = match nanoseconds {
        x if x < 1e3 => return format!("{x:.0} ns"),
        x if x < 1e6 => (x / 1e3, "us"),
        x if x < 1e9 => (x / 1e6, "ms"),
        x => (x / 1e9, "s"),
    };
    let digits = if x < 10.0 { 2 } else { usize::from(x < 100.0) };
    format!("{x:.digits$} {unit}")
}

/// A number of bytes with its unit.
pub fn bytes(count: u64) -> String {
    match count as f64 {
        0.0 => "-".to_owned(),
        x if x < 1e3 => format!("{x:.0} B"),
        x if x < 1e6 => format!("{:.1} kB", x / 1e3),
        x if x < 1e9 => format!("{:.1} MB", x / 1e6),
        x => format!("{:.1} GB", x / 1e9),
    }
}

/// `x.q:5`, without the folder, which is the same for most.
pub fn place(file: &str, line: u32) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    match (name, line) {
        ("", _) => String::new(),
        (name, 0) => name.to_owned(),
        (name, line) => format!("{name}:{line}"),
    }
}

/// Lines whose columns stand below each other; the first `right` columns are flush right.
pub(super) fn columns(rows: &[Vec<String>], right: usize) -> String {
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

impl Row {
    /// The positions of the longest launch of a kernel; on a device its blocks and their threads.
    pub fn extents(&self) -> String {
        let times = |n: &[u32; 3]| {
            let last = n.iter().rposition(|&n| n != 1).unwrap_or(0);
            n.iter().take(last + 1).map(u32::to_string).collect::<Vec<_>>().join("x")
        };
        match (self.kind, self.grid, self.block) {
            (Kind::Kernel, grid, [0, ..]) if grid != [0; 3] => times(&grid),
            (Kind::Kernel, grid, block) if grid != [0; 3] => format!("{} of {}", times(&grid), times(&block)),
            _ => String::new(),
        }
    }
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
        let head = ["share", "total", "calls", "mean", "min", "max", "bytes", "GB/s", "Gop/s"];
        let head = head.into_iter().chain(["kind", "name", "place", "device", "size"]);
        let mut rows = vec![head.map(str::to_owned).collect::<Vec<_>>()];
        for row in &self.rows {
            let timed = row.count > row.untimed;
            let of = |x: f64| if timed { time(x) } else { "?".to_owned() };
            let unknown = || "-".to_owned();
            let per_time = |count: u64| format!("{:.1}", count as f64 / row.total as f64);
            let rate = if row.has_rate() { per_time(row.bytes) } else { unknown() };
            let counted = row.uncounted == 0 && row.operations > 0 && row.total > 0;
            let operations = if counted { per_time(row.operations) } else { unknown() };
            rows.push(vec![
                self.share(row.total),
                of(row.total as f64),
                row.count.to_string(),
                of(row.mean()),
                of(row.min as f64),
                of(row.max as f64),
                bytes(row.bytes),
                rate,
                operations,
                row.kind.name().to_owned(),
                row.name.clone(),
                place(&row.file, row.line),
                row.device.clone(),
                row.extents(),
            ]);
        }
        text.push_str(&columns(&rows, 9));
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::report::example as report;

    #[test]
    fn the_table_has_a_line_for_each() {
        let expected = "\
program: 40.0 ms from beginning to end, 30.0 ms measured in calls

  share    total  calls     mean      min      max    bytes  GB/s  Gop/s  kind    name           place  device      size
100.0 %  30.0 ms     10  3.00 ms  3.00 ms  3.00 ms  80.0 MB   2.7    1.0  kernel  main_line5     x.q:2  CPU         1000x1000
  0.0 %  1.50 us      1  1.50 us  1.50 us  1.50 us   4.0 kB   2.7      -  copy    to the device         Fake \"one\"

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
}
