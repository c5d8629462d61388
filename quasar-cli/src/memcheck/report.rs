//! Reads what compute-sanitizer prints (CUDA 11 to 13): findings with their places, threads and addresses, the summary, and why it
//! could not work. Pure functions over a text; lines that are not its own are the program's.

/// What all lines of the sanitizer begin with.
const BAR: &str = "=========";

/// A report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) findings: Vec<Finding>,
    /// Whether the sanitizer said that it began.
    pub(super) began: bool,
    /// Whether there is a summary, which stands at the end of each complete report.
    pub(super) complete: bool,
    /// How many findings it counted, but did not print.
    pub(super) not_printed: u64,
    /// Why it could not look at the program.
    pub(super) failures: Vec<String>,
    /// Whether the program is said to have failed itself.
    pub(super) program_failed: bool,
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// An access outside of an array, or one that is not aligned.
    Access,
    Race,
    Uninitialised,
    Barrier,
    /// A call of the driver that failed, mostly a consequence of another finding.
    Call,
    Other,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) class: Class,
    /// What was found, such as `Invalid __global__ read of size 4`.
    pub(super) text: String,
    /// Where: the instruction first, then the functions that it was inlined into; of races, one for each access.
    pub(super) frames: Vec<Frame>,
    pub(super) thread: Option<[u64; 3]>,
    pub(super) block: Option<[u64; 3]>,
    /// More about it: addresses, values.
    pub(super) notes: Vec<String>,
}

/// A place in the code of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Frame {
    /// What happens there, such as `Write access`; empty for what the finding itself says.
    pub(super) role: String,
    /// The function, with the types of its parameters if it has a C++ name.
    pub(super) function: String,
    /// File and line, if the machine code knows them.
    pub(super) place: Option<(String, u32)>,
}

/// Reads a report.
pub(super) fn read(text: &str) -> Report {
    let mut report = Report::default();
    let mut open: Option<Finding> = None;
    for line in text.lines() {
        // The program may have written the start of the line.
        let Some((_, said)) = line.split_once(BAR) else { continue };
        let said = said.trim_start_matches('=');
        let detail = said.starts_with("    ") || said.starts_with('\t');
        let said = said.trim();
        match (&mut open, detail) {
            (Some(finding), true) => more(finding, said),
            _ if said.is_empty() => {}
            _ => {
                keep(&mut report, open.take());
                open = header(&mut report, said);
            }
        }
    }
    keep(&mut report, open);
    report
}

/// Headers of a kind that is not known here are findings if they have a place.
fn keep(report: &mut Report, finding: Option<Finding>) {
    report.findings.extend(finding.filter(|each| each.class != Class::Other || !each.frames.is_empty()));
}

/// Reads a line that begins something.
fn header(report: &mut Report, said: &str) -> Option<Finding> {
    let plain = said.strip_prefix("Error: ").or_else(|| said.strip_prefix("Warning: ")).unwrap_or(said);
    if said.starts_with("COMPUTE-SANITIZER") || said.starts_with("CUDA-MEMCHECK") {
        report.began = true;
        return None;
    }
    if said.contains("SUMMARY:") {
        match first_number(said) {
            Some(count) if said.contains("not printed") => report.not_printed = count,
            _ => report.complete = true,
        }
        return None;
    }
    if let Some(race) = plain.strip_prefix("Race reported between ") {
        let mut finding = Finding::new(Class::Race, "Race between two accesses of shared memory");
        finding.frames.extend(access(race));
        return Some(finding);
    }
    if plain.starts_with("Potential ") && plain.contains("hazard") {
        return Some(Finding::new(Class::Race, plain.trim_end_matches([' ', ':'])));
    }
    if plain.starts_with("Target application returned an error") || plain.contains("terminate successfully") {
        report.program_failed = true;
        return None;
    }
    let cannot =
        ["Internal Sanitizer Error", "No supported", "Target application terminated before", "No attachable"];
    if cannot.iter().any(|start| plain.starts_with(start)) {
        report.failures.push(plain.to_owned());
        return None;
    }
    Some(Finding::new(class(plain), plain))
}

fn class(said: &str) -> Class {
    let starts = |words: &[&str]| words.iter().any(|word| said.starts_with(word));
    match said {
        _ if starts(&["Invalid __", "Invalid read", "Invalid write", "Misaligned", "Out-of-range"]) => {
            Class::Access
        }
        _ if starts(&["Uninitialized"]) => Class::Uninitialised,
        _ if starts(&["Barrier error"]) => Class::Barrier,
        _ if starts(&["Program hit"]) => Class::Call,
        _ => Class::Other,
    }
}

/// Reads a line that says more about a finding.
fn more(finding: &mut Finding, said: &str) {
    if let Some(at) = said.strip_prefix("at ") {
        finding.frames.push(frame(at));
    } else if let Some(frame_) = said.strip_prefix("Device Frame:") {
        finding.frames.push(frame(frame_.trim()));
    } else if let Some(other) = said.strip_prefix("and ").filter(|other| other.contains(" access at ")) {
        finding.frames.extend(access(other));
    } else if said.starts_with("by thread") {
        (finding.thread, finding.block) = threads(said);
    } else if said.starts_with("Write Thread") || said.starts_with("Read Thread") {
        finding.frames.extend(hazard(said));
    } else if let (Some(rest), Some(last)) = (said.strip_prefix("and is "), finding.notes.last_mut()) {
        *last = format!("{last} and is {rest}");
    } else if said.starts_with("Address ") || said.starts_with("Current Value") || said.starts_with("Access ")
    {
        finding.notes.push(said.to_owned());
    }
}

/// An access of a race: `Write access at k+0x10 in f.q:4 [8 hazards]`.
fn access(said: &str) -> Option<Frame> {
    let (role, at) = said.split_once(" at ")?;
    Some(Frame { role: role.trim().to_owned(), ..frame(at) })
}

/// An access of a hazard: `Write Thread (0, 0, 0) at 0x10 in f.q:4:k`.
fn hazard(said: &str) -> Option<Frame> {
    let (role, at) = said.split_once(" at ")?;
    Some(Frame { role: role.replace(", ", ","), ..frame(at) })
}

/// A place, in one of the forms `k(int)+0x90 in f.q:46`, `0x90 in f.q:46:k(int)`, `f.q:46:k(int) [0x90]`, and both of the first without
/// a file where the machine code knows no lines.
fn frame(at: &str) -> Frame {
    // What stands in brackets counts hazards or is an offset.
    let at = at.rsplit_once(" [").filter(|(_, end)| end.ends_with(']')).map_or(at, |(start, _)| start).trim();
    if let Some((function, behind)) = at.rsplit_once("+0x") {
        let place = behind.split_once(" in ").and_then(|(_, place)| file_and_line(place));
        return Frame { function: function.to_owned(), place, ..Frame::default() };
    }
    let place = match at.split_once(" in ") {
        Some((offset, place)) if offset.starts_with("0x") => place,
        _ => at,
    };
    match line_inside(place) {
        Some((file, line, function)) => {
            Frame { function: function.to_owned(), place: Some((file.to_owned(), line)), ..Frame::default() }
        }
        None => Frame { function: place.to_owned(), ..Frame::default() },
    }
}

/// `f.q:46`
fn file_and_line(place: &str) -> Option<(String, u32)> {
    let (file, line) = place.trim().rsplit_once(':')?;
    Some((file.to_owned(), line.parse().ok()?))
}

/// `f.q:46:k(int)`: the first number between colons is the line, since names of functions may have colons as well.
fn line_inside(place: &str) -> Option<(&str, u32, &str)> {
    place.match_indices(':').find_map(|(k, _)| {
        let (line, function) = place.get(k + 1..)?.split_once(':')?;
        Some((place.get(..k)?, line.parse().ok()?, function))
    })
}

/// The numbers of `by thread (31,0,0) in block (3,0,0)`, with or without blanks.
fn threads(said: &str) -> (Option<[u64; 3]>, Option<[u64; 3]>) {
    let mut triples = said.split('(').skip(1).map(|part| {
        let inside = part.split(')').next().unwrap_or_default();
        let numbers: Vec<u64> = inside.split(',').filter_map(|number| number.trim().parse().ok()).collect();
        <[u64; 3]>::try_from(numbers).ok()
    });
    (triples.next().flatten(), triples.next().flatten())
}

fn first_number(said: &str) -> Option<u64> {
    let digits = |word: &str| word.replace(',', "").parse().ok();
    said.split_whitespace().find_map(digits)
}

impl Finding {
    fn new(class: Class, said: &str) -> Finding {
        let text =
            [" bytes", " byte"].iter().find_map(|end| said.strip_suffix(end)).unwrap_or(said).to_owned();
        Finding { class, text, frames: Vec::new(), thread: None, block: None, notes: Vec::new() }
    }
}

#[cfg(test)]
mod tests;
