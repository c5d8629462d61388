//! The table of builtin functions: how each is typed and how it is executed.

mod arithmetic;
mod creation;
mod device;
mod figures;
mod input_output;
mod linear_algebra;
mod operators;
mod parallel;
mod reductions;
mod shapes;
mod strings;
pub mod typing;

pub(crate) use arithmetic::converted_to;
pub(crate) use creation::sequence_length;
pub use creation::{created_sizes, dims_of_arguments};
pub use device::{IN_QUASAR, is_in_quasar, what_is_missing};
pub use operators::operator;
pub use typing::{CallTypes, Known, Operand, Typing, TypingError};

/// Where a function may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// Host functions only.
    Host,
    /// Host, device and kernel code.
    Everywhere,
    /// Kernel code only.
    Kernel,
}

/// How a function is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A row of the scalar table, on scalars and elementwise on arrays.
    Elementwise(&'static str),
    /// A reduction by a row of the scalar table: `sum`, `prod`, and `min`, `max` of one argument.
    Reduction(&'static str),
    /// A pure library function, by its name in the value library.
    Library(&'static str),
    /// A library function with side effects; becomes a statement.
    Effect(&'static str),
    /// Conversion to a scalar type: `int`, `float`, `uint8`, ..
    Convert,
    /// `size`, `numel`, `ndims`, `isempty`: answered from types if possible.
    Query,
    /// A construct with a dedicated IR form: `parallel_do`, `assert`, `shared`, `memfence`, ..
    Intrinsic(Intrinsic),
}

/// Builtins with a dedicated IR form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intrinsic {
    /// `parallel_do`
    ParallelDo,
    /// `serial_do`
    SerialDo,
    /// `multi_parallel_do`
    MultiParallelDo,
    /// `schedule`
    Schedule,
    /// `assert`
    Assert,
    /// `unassert`
    Unassert,
    /// `error`
    Error,
    /// `shared`
    Shared,
    /// `shared_zeros`
    SharedZeros,
    /// `memfence`
    MemoryFence,
    /// `type`
    TypeOf,
    /// `cast`
    Cast,
    /// `max_block_size`
    MaxBlockSize,
    /// `opt_block_size`
    OptBlockSize,
}

/// A builtin function. Its typing rule is next to the row.
#[derive(Debug)]
pub struct Builtin {
    /// The name in Quasar.
    pub name: &'static str,
    /// Documentation, one sentence.
    pub doc: &'static str,
    /// Where it may be called.
    pub availability: Availability,
    /// How it is executed.
    pub kind: Kind,
}

/// A row with its typing rule. A name may have several rows, for different numbers of arguments.
#[derive(Debug)]
pub struct Entry {
    /// The row.
    pub builtin: Builtin,
    /// The least and the largest number of arguments.
    pub arity: (usize, usize),
    /// Computes the types of the results, and the types that arguments are converted to.
    pub rule: Rule,
}

/// The typing rule of a builtin.
pub type Rule = fn(&Builtin, &CallTypes<'_>) -> Result<Typing, TypingError>;

/// Any number of arguments.
const MANY: usize = usize::MAX;

const fn row(
    name: &'static str,
    doc: &'static str,
    availability: Availability,
    kind: Kind,
    arity: (usize, usize),
    rule: Rule,
) -> Entry {
    Entry { builtin: Builtin { name, doc, availability, kind }, arity, rule }
}

static TABLES: &[&[Entry]] = &[
    arithmetic::TABLE,
    creation::TABLE,
    shapes::TABLE,
    reductions::TABLE,
    linear_algebra::TABLE,
    strings::TABLE,
    figures::TABLE,
    input_output::TABLE,
    parallel::TABLE,
];

/// All rows.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// Whether a function of this name exists.
pub fn exists(name: &str) -> bool {
    entries().any(|entry| entry.builtin.name == name)
}

/// The number of arguments of a function, if it is always the same.
pub fn only_arity(name: &str) -> Option<usize> {
    let mut rows = entries().filter(|entry| entry.builtin.name == name);
    let (least, most) = rows.next()?.arity;
    (least == most && rows.next().is_none()).then_some(least)
}

/// Functions of the language that are not implemented yet.
const PLANNED: &[&str] = &["vidopen", "vidreadframe", "vidseek", "sync_framerate", "form", "jacobi"];

/// Whether the language has a function of this name that is not supported yet.
pub fn is_planned(name: &str) -> bool {
    PLANNED.contains(&name)
}

/// The row for a name and a number of arguments; `Err` lists the accepted numbers.
pub fn find(name: &str, arguments: usize) -> Option<Result<&'static Entry, Vec<(usize, usize)>>> {
    let rows: Vec<&'static Entry> = entries().filter(|entry| entry.builtin.name == name).collect();
    if rows.is_empty() {
        return None;
    }
    let fitting = rows.iter().find(|entry| (entry.arity.0..=entry.arity.1).contains(&arguments));
    Some(fitting.copied().ok_or_else(|| rows.iter().map(|entry| entry.arity).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_name_differ_in_arity() {
        let all: Vec<&Entry> = entries().collect();
        for (position, entry) in all.iter().enumerate() {
            assert!(entry.arity.0 <= entry.arity.1, "{}", entry.builtin.name);
            assert!(entry.builtin.doc.ends_with('.'), "{}", entry.builtin.name);
            for other in &all[position + 1..] {
                let overlap = entry.arity.0 <= other.arity.1 && other.arity.0 <= entry.arity.1;
                assert!(other.builtin.name != entry.builtin.name || !overlap, "{} twice", entry.builtin.name);
            }
        }
    }

    #[test]
    fn elementwise_rows_name_scalar_rows() {
        for entry in entries() {
            if let Kind::Elementwise(name) | Kind::Reduction(name) = entry.builtin.kind {
                assert!(
                    quasar_devicelib::ops::find(name).is_some() || arithmetic::MATHEMATICS.contains(&name),
                    "{name}"
                );
            }
        }
    }
}
