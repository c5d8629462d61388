//! Expressions of random programs: values of known kinds, elements of arrays, conditions.

use super::{Counter, Function, Generator, Kind};

impl Generator {
    pub(super) fn literal(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Int => self.random.between(-9, 20).to_string(),
            Kind::Float => format!("{:?}", self.random.between(-40, 40) as f64 / 4.0),
        }
    }

    /// A value fit to be stored in an array: small, and exact for floats.
    pub(super) fn element_value(&mut self, kind: Kind, depth: usize) -> String {
        let value = self.expr(kind, depth);
        match kind {
            Kind::Int => format!("mod({value}, 101)"),
            Kind::Float => format!("floor(8*min(max({value}, -60.0), 60.0))/8"),
        }
    }

    pub(super) fn expr(&mut self, kind: Kind, depth: usize) -> String {
        if depth == 0 || self.random.chance(20) {
            return self.leaf(kind);
        }
        let d = depth - 1;
        match (kind, self.random.below(9)) {
            (_, 0) => {
                let (c, a, b) = (self.condition(1), self.expr(kind, d), self.expr(kind, d));
                format!("({c} ? {a} : {b})")
            }
            (_, 1) => self.call(kind, d),
            (_, 2) => self.element(kind),
            (Kind::Int, 3) => {
                let (a, b) = (self.expr(kind, d), self.literal(kind));
                let function = *self.random.pick(&["mod", "min", "max", "and", "or", "xor", "rem"]);
                format!("{function}({a}, {b})")
            }
            (Kind::Int, 4) => format!("abs({})", self.expr(kind, d)),
            (Kind::Int, _) => {
                let (a, b) = (self.expr(kind, d), self.expr(kind, d));
                let op = *self.random.pick(&["+", "-", "*"]);
                format!("({a} {op} {b})")
            }
            (Kind::Float, 3) => {
                let (a, b) = (self.expr(kind, d), self.expr(kind, d));
                let function = *self.random.pick(&["min", "max"]);
                format!("({function}({a}, {b}) + 0.0)")
            }
            (Kind::Float, 4) => {
                let function = *self.random.pick(&["abs", "floor", "ceil", "round", "-"]);
                format!("{function}({})", self.expr(kind, d))
            }
            (Kind::Float, 5) => {
                let (factor, a) = (self.random.between(-3, 3), self.leaf(kind));
                format!("({factor}*{a})")
            }
            (Kind::Float, 6) => format!("float(mod({}, 16))", self.expr(Kind::Int, d)),
            (Kind::Float, _) => {
                let (a, b) = (self.expr(kind, d), self.expr(kind, d));
                let op = *self.random.pick(&["+", "-"]);
                format!("({a} {op} {b})")
            }
        }
    }

    pub(super) fn leaf(&mut self, kind: Kind) -> String {
        if kind == Kind::Int && self.random.chance(40) && !self.counters.is_empty() {
            return self.random.pick(&self.counters.clone()).name.clone();
        }
        match self.scalar(kind) {
            Some(name) if self.random.chance(70) => name,
            _ => {
                let text = self.literal(kind);
                if text.starts_with('-') { format!("({text})") } else { text }
            }
        }
    }

    pub(super) fn call(&mut self, kind: Kind, depth: usize) -> String {
        let fitting: Vec<Function> =
            self.functions.iter().filter(|f| f.result == kind && !f.params.is_empty()).cloned().collect();
        let fitting: Vec<Function> = fitting.into_iter().filter(|f| f.device || !self.in_kernel).collect();
        if fitting.is_empty() {
            return self.leaf(kind);
        }
        let function = self.random.pick(&fitting).clone();
        self.note(if function.device { "call of a device function" } else { "call of a host function" });
        let args: Vec<String> = function.params.iter().map(|kind| self.expr(*kind, depth)).collect();
        format!("{}({})", function.name, args.join(", "))
    }

    /// An element of some array: in range, or anywhere through a boundary mode.
    fn element(&mut self, kind: Kind) -> String {
        let Some(array) = self.some_array(Some(kind)) else { return self.leaf(kind) };
        let at: Vec<String> = array
            .dims
            .iter()
            .map(|extent| match array.mode {
                Some(_) if self.random.chance(60) => {
                    let offset = self.random.between(-3, 3);
                    self.note(array.mode.unwrap_or("checked"));
                    match self.counters.last().cloned() {
                        Some(counter) => format!("{} + {offset}", counter.name),
                        None => (extent + offset).to_string(),
                    }
                }
                _ => self.index_within(*extent),
            })
            .collect();
        format!("{}[{}]", array.name, at.join(", "))
    }

    pub(super) fn index_within(&mut self, extent: i64) -> String {
        let fitting: Vec<Counter> =
            self.counters.iter().filter(|c| c.low >= 0 && c.high < extent).cloned().collect();
        if !fitting.is_empty() && self.random.chance(60) {
            return self.random.pick(&fitting).name.clone();
        }
        if self.random.chance(30) {
            let inner = self.leaf(Kind::Int);
            return format!("mod({inner}, {extent})");
        }
        self.random.between(0, extent - 1).to_string()
    }

    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth > 1 && self.random.chance(40) {
            let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
            let op = *self.random.pick(&["&&", "||"]);
            return format!("({a} {op} {b})");
        }
        let kind = self.kind();
        let (a, b) = (self.expr(kind, 1), self.leaf(kind));
        let op = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        if self.random.chance(15) { format!("!({a} {op} {b})") } else { format!("{a} {op} {b}") }
    }
}
