//! The functions that every program knows: how each is typed and what executes it.

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

/// What executes a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The row of this name in the scalar table, on scalars and element by element on arrays.
    Elementwise(&'static str),
    /// Folds by the row of this name: `sum`, `prod`, and `min`, `max` of one argument.
    Reduction(&'static str),
    /// A library function without effects, by this name in the value library.
    Library(&'static str),
    /// A library function with effects; becomes a statement.
    Effect(&'static str),
    /// Conversion to a scalar type: `int`, `float`, `uint8`, ..
    Convert,
    /// `size`, `numel`, `ndims`, `isempty`: answered from types where possible.
    Query,
    /// Has a form of its own in the IR: `parallel_do`, `assert`, `shared`, `memfence`, ..
    Intrinsic(Intrinsic),
}

/// Functions with a form of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intrinsic {
    /// `parallel_do`
    ParallelDo,
    /// `serial_do`
    SerialDo,
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

/// One function of the table. Typing rules stand beside the rows.
#[derive(Debug)]
pub struct Builtin {
    /// The name in Quasar.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Where it may be called.
    pub availability: Availability,
    /// What executes it.
    pub kind: Kind,
}
