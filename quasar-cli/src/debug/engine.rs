//! Where the debugger stops: breakpoints and steps over the instructions of the interpreter. Going back is running again up to an
//! earlier instruction, since programs do the same each time.

use super::debuggee::{self, Debuggee, Line};
use quasar_core::interp::{Moment, Next, ThreadId, Watcher};
use quasar_core::source::Span;
use quasar_devicelib::value::Value;

/// How many instructions pass between two questions whether to pause.
const BETWEEN: u64 = 256;

/// A breakpoint.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Breakpoint {
    pub(super) number: u32,
    pub(super) line: Line,
    pub(super) condition: Option<String>,
}

/// What the user wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// To the next statement, also in a called function.
    Step,
    /// To the next statement of this function, or of its caller.
    Over,
    /// Until this function has ended.
    Finish,
    /// Until a breakpoint.
    Continue,
    /// Until a line or a breakpoint.
    To(Line),
    /// As `Step`, `Over` and `Continue`, backwards.
    Back,
    BackOver,
    BackContinue,
    /// From the beginning, to the first statement.
    Restart,
    Quit,
}

/// Why the program stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reason {
    Begin,
    Step,
    Breakpoint(u32),
    Pause,
    /// A condition that cannot be computed.
    Condition(u32, String),
    /// An error that ends the program behind this statement.
    Error(String),
}

/// What the engine does with the instructions that come.
#[derive(Clone, Debug, PartialEq)]
enum Mode {
    Step,
    Over(usize),
    Finish(usize),
    Continue,
    To(Line),
    /// Runs up to an instruction again, silently.
    Again(u64, Reason),
    /// Runs up to an instruction again, to find the last stop before it.
    Search(u64),
}

/// What must happen behind the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    RunAgain,
    Quit,
}

/// A call, as far as it is known while a kernel that it launched runs.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) function: String,
    pub(super) span: Span,
    line: Line,
    instruction: usize,
}

/// A call of the program where it stands.
#[derive(Clone, Debug)]
pub(super) struct CallAt {
    pub(super) function: String,
    pub(super) span: Span,
    /// Its number among the calls whose variables are known.
    number: Option<usize>,
}

/// The program where it stands.
pub(super) struct Stop<'a> {
    pub(super) moment: &'a Moment<'a>,
    pub(super) reason: &'a Reason,
    pub(super) debuggee: &'a Debuggee,
    /// The calls of the host while a kernel runs, the innermost last.
    pub(super) host: &'a [Place],
}

impl Stop<'_> {
    /// The calls, the innermost first, without those that the compiler made.
    pub(super) fn calls(&self) -> Vec<CallAt> {
        let call = |(k, call): (usize, quasar_core::interp::Call<'_>)| CallAt {
            function: call.function.to_owned(),
            span: call.span,
            number: Some(k),
        };
        let own = self.moment.calls().into_iter().enumerate().map(call);
        let host = self.moment.thread().map_or(&[][..], |_| self.host).iter().rev();
        let host =
            host.map(|place| CallAt { function: place.function.clone(), span: place.span, number: None });
        own.chain(host).filter(|call| self.debuggee.line(call.span).is_some()).collect()
    }

    /// The variables of a call with their values; `None` for calls of the host while a kernel runs.
    pub(super) fn variables(&self, call: &CallAt) -> Option<Vec<(String, Value)>> {
        let (calls, number) = (self.moment.calls(), call.number?);
        let variables = calls.get(number)?.variables.iter().filter(|(name, _)| !name.starts_with('$'));
        let variables = variables.map(|(name, value)| ((*name).to_owned(), (*value).clone()));
        let position = debuggee::position(self.moment, number);
        Some(variables.chain(position).collect())
    }

    /// The value of an expression in one of the calls.
    pub(super) fn evaluate(&self, text: &str, call: &CallAt) -> Result<Value, String> {
        evaluate(self.debuggee, self.moment, text, call.number)
    }
}

/// Who asks the user what to do.
pub(super) trait Front {
    /// The program stands.
    fn stopped(&mut self, stop: &Stop<'_>, breakpoints: &mut Vec<Breakpoint>) -> Command;
    /// The program has ended, maybe with an error.
    fn ended(
        &mut self,
        error: Option<&str>,
        debuggee: &Debuggee,
        breakpoints: &mut Vec<Breakpoint>,
    ) -> Command;
    /// The program runs: whether it shall pause or end. Breakpoints may change, too.
    fn running(&mut self, debuggee: &Debuggee, breakpoints: &mut Vec<Breakpoint>) -> Option<Interruption>;
    /// Whether what the program prints has been seen before.
    fn again(&mut self, again: bool);
}

/// What a user wants of a program that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interruption {
    Pause,
    Quit,
}

/// The engine of a debugger.
pub(super) struct Engine<'a> {
    debuggee: &'a Debuggee,
    pub(super) front: &'a mut dyn Front,
    pub(super) breakpoints: Vec<Breakpoint>,
    mode: Mode,
    pub(super) request: Option<Request>,
    /// The calls of the host and of the thread of a kernel, each with its last statement.
    host: Vec<Place>,
    kernel: Vec<Place>,
    thread: Option<ThreadId>,
    /// The last statement that began, and the one before it.
    latest: u64,
    before: u64,
    /// The last statement that began at each depth.
    at_depth: Vec<u64>,
    /// The last stop that a search found.
    found: Option<u64>,
    asked: u64,
}

impl<'a> Engine<'a> {
    pub(super) fn new(debuggee: &'a Debuggee, front: &'a mut dyn Front) -> Engine<'a> {
        Engine {
            debuggee,
            front,
            breakpoints: Vec::new(),
            mode: Mode::Step,
            request: None,
            host: Vec::new(),
            kernel: Vec::new(),
            thread: None,
            latest: 0,
            before: 0,
            at_depth: Vec::new(),
            found: None,
            asked: 0,
        }
    }

    /// Before a run of the program.
    pub(super) fn begin(&mut self) {
        self.host.clear();
        self.kernel.clear();
        self.thread = None;
        (self.latest, self.before, self.asked) = (0, 0, 0);
        self.at_depth.clear();
        self.request = None;
        self.front.again(matches!(self.mode, Mode::Again(..) | Mode::Search(_)));
    }

    /// Runs again up to the last statement that began; `false` if none did.
    pub(super) fn go_to_latest(&mut self, reason: Reason) -> bool {
        self.mode = Mode::Again(self.latest, reason);
        self.latest > 0
    }

    /// The last statement that began.
    pub(super) fn latest(&self) -> u64 {
        self.latest
    }

    /// Asks what to do when the program has ended.
    pub(super) fn ended(&mut self, error: Option<&str>) -> Command {
        self.front.again(false);
        self.front.ended(error, self.debuggee, &mut self.breakpoints)
    }

    /// What a command means where nothing runs.
    pub(super) fn start_again(&mut self, command: Command) {
        self.mode = match command {
            Command::BackContinue => Mode::Search(u64::MAX),
            _ => Mode::Step,
        };
    }

    /// Whether a search went to the end of the program; then the next run goes to what it found.
    pub(super) fn search_ended(&mut self) -> bool {
        let searched = matches!(self.mode, Mode::Search(_));
        if searched {
            self.mode = self.again_to_found();
        }
        searched
    }

    fn again_to_found(&mut self) -> Mode {
        match self.found.take() {
            Some(number) => Mode::Again(number, Reason::Step),
            None => Mode::Step,
        }
    }

    /// Notes the instruction; its line, if a statement begins there.
    fn begins(&mut self, moment: &Moment<'_>) -> Option<Line> {
        let span = moment.span();
        if moment.is_flow() {
            return None;
        }
        let thread = moment.thread();
        if thread != self.thread {
            (self.thread, self.kernel) = (thread, Vec::new());
        }
        let (depth, instruction) = (moment.depth().max(1), moment.instruction());
        if thread.is_none() && depth == 1 && instruction == 0 {
            // Another function that is called from outside.
            self.host.clear();
        }
        let line = self.debuggee.line(span)?;
        let calls = if thread.is_some() { &mut self.kernel } else { &mut self.host };
        calls.truncate(depth);
        if let Some(last) = calls.get_mut(depth - 1)
            && last.line == line
            && instruction > last.instruction
        {
            last.instruction = instruction;
            return None;
        }
        let place = Place { function: moment.function().to_owned(), span, line, instruction };
        calls.truncate(depth - 1);
        // Functions that are not shown have no place.
        let hidden = Place { function: String::new(), span: Span::default(), line, instruction: usize::MAX };
        calls.resize(depth - 1, hidden);
        calls.push(place);
        Some(line)
    }

    /// The depth in the calls of the host and of a kernel, without those that the compiler made.
    fn depth(&self, moment: &Moment<'_>) -> usize {
        let shown = |calls: &[Place]| calls.iter().filter(|place| place.span != Span::default()).count();
        let innermost = |calls: &[Place]| shown(calls.get(..moment.depth()).unwrap_or(calls));
        match moment.thread() {
            Some(_) => shown(&self.host) + innermost(&self.kernel),
            None => innermost(&self.host),
        }
    }

    fn note(&mut self, number: u64, depth: usize) {
        (self.before, self.latest) = (self.latest, number);
        if self.at_depth.len() <= depth {
            self.at_depth.resize(depth + 1, 0);
        }
    }

    /// The breakpoint at a line whose condition holds.
    fn hit(&self, line: Line, moment: &Moment<'_>) -> Option<Reason> {
        self.breakpoints.iter().filter(|breakpoint| breakpoint.line == line).find_map(|breakpoint| {
            let Some(condition) = &breakpoint.condition else {
                return Some(Reason::Breakpoint(breakpoint.number));
            };
            match evaluate(self.debuggee, moment, condition, Some(0)).map(|value| value.is_true()) {
                Ok(Ok(true)) => Some(Reason::Breakpoint(breakpoint.number)),
                Ok(Ok(false)) => None,
                Ok(Err(error)) => Some(Reason::Condition(breakpoint.number, error.text)),
                Err(text) => Some(Reason::Condition(breakpoint.number, text)),
            }
        })
    }

    /// Why the program stops in front of this instruction, which begins a statement in a line or goes on with one.
    fn reason(&mut self, line: Option<Line>, moment: &Moment<'_>) -> Option<Reason> {
        let depth = self.depth(moment);
        match self.mode.clone() {
            Mode::Again(number, reason) => (moment.number() >= number).then_some(reason),
            Mode::Search(end) => {
                if line.is_some_and(|line| moment.number() < end && self.hit(line, moment).is_some()) {
                    self.found = Some(moment.number());
                }
                None
            }
            Mode::Finish(from) if depth < from && !moment.is_flow() => Some(Reason::Step),
            mode => {
                let line = line?;
                let first = self.before == 0;
                let stepped = match mode {
                    Mode::Step => true,
                    Mode::Over(from) => depth <= from,
                    Mode::To(to) => line == to,
                    _ => false,
                };
                let step = if first { Reason::Begin } else { Reason::Step };
                self.hit(line, moment).or_else(|| stepped.then_some(step))
            }
        }
    }

    fn stop(&mut self, reason: &Reason, moment: &Moment<'_>) -> Next {
        self.front.again(false);
        let debuggee = self.debuggee;
        let stop = Stop { moment, reason, debuggee, host: &self.host };
        let command = self.front.stopped(&stop, &mut self.breakpoints);
        let (number, depth) = (moment.number(), self.depth(moment));
        // The program may stand behind the last statement that began: it is the one before then.
        let before = if number > self.latest { self.latest } else { self.before };
        self.mode = match command {
            Command::Step => Mode::Step,
            Command::Over => Mode::Over(depth),
            Command::Finish => Mode::Finish(depth),
            Command::Continue => Mode::Continue,
            Command::To(line) => Mode::To(line),
            Command::Back => return self.back_to(before),
            Command::BackOver => {
                let before = self.at_depth.iter().take(depth + 1).filter(|&&at| at < number).max();
                return self.back_to(before.copied().unwrap_or_default());
            }
            Command::BackContinue => {
                self.mode = Mode::Search(number);
                return self.end(Request::RunAgain);
            }
            Command::Restart => {
                self.mode = Mode::Step;
                return self.end(Request::RunAgain);
            }
            Command::Quit => return self.end(Request::Quit),
        };
        Next::At(0)
    }

    fn back_to(&mut self, number: u64) -> Next {
        self.mode = match number {
            0 => Mode::Step,
            number => Mode::Again(number, Reason::Step),
        };
        self.end(Request::RunAgain)
    }

    fn end(&mut self, request: Request) -> Next {
        self.request = Some(request);
        Next::Stop(String::new())
    }
}

impl Watcher for Engine<'_> {
    fn look(&mut self, moment: &Moment<'_>) -> Next {
        let number = moment.number();
        let line = self.begins(moment);
        if line.is_some() {
            self.note(number, self.depth(moment));
        }
        if number >= self.asked {
            self.asked = number + BETWEEN;
            match self.front.running(self.debuggee, &mut self.breakpoints) {
                Some(Interruption::Quit) => return self.end(Request::Quit),
                Some(Interruption::Pause) if !matches!(self.mode, Mode::Again(..) | Mode::Search(_)) => {
                    return self.stop(&Reason::Pause, moment);
                }
                _ => {}
            }
        }
        if let Mode::Search(end) = self.mode
            && number >= end
        {
            self.mode = self.again_to_found();
            return self.end(Request::RunAgain);
        }
        let next = match self.reason(line, moment) {
            Some(reason) => self.stop(&reason, moment),
            None => Next::At(0),
        };
        if line.is_some() {
            let depth = self.depth(moment);
            if let Some(at) = self.at_depth.get_mut(depth) {
                *at = number;
            }
        }
        next
    }
}

fn evaluate(
    debuggee: &Debuggee,
    moment: &Moment<'_>,
    text: &str,
    call: Option<usize>,
) -> Result<Value, String> {
    let variables = debuggee::variables(moment, call);
    let globals = moment.globals().into_iter();
    let globals: Vec<(String, Value)> =
        globals.map(|(name, value)| (name.to_owned(), value.clone())).collect();
    debuggee.evaluate(text, &variables, &globals)
}
