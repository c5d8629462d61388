//! Constraints on the block sizes of a kernel's launches, as far as they are known at compile time; programs can query
//! them.

use super::shared_memory::Bounds;
use crate::ir::build::element_of;
use crate::ir::rewrite::{sets, visit_stmts};
use crate::ir::{
    BlockSize, Body, Coordinate, Expr, ExprKind, Index, Kernel, KernelId, Program, StmtKind, VarId,
};
use quasar_devicelib::kernel::{BlockNeeds, MAX_BLOCK, Term};
use std::collections::{BTreeMap, BTreeSet};

/// The block constraints of one version of a kernel.
#[derive(Clone, Debug)]
pub struct Needs {
    /// Components of a position.
    pub rank: usize,
    /// The most threads of a block.
    pub threads: usize,
    /// The block of launches that do not choose one, if a pass set it.
    pub usual: Option<Vec<usize>>,
    /// Bytes of the shared arrays whose extents depend on the block.
    pub shared: Vec<Term>,
}

impl Needs {
    fn of(kernel: &Kernel) -> Needs {
        let bounds = kernel.attributes.bounds.map_or(MAX_BLOCK, |bounds| bounds.threads as usize);
        let usual = kernel.attributes.block.as_ref();
        Needs {
            rank: kernel.rank.max(1),
            threads: bounds.min(MAX_BLOCK),
            usual: usual.map(|block| block.iter().map(|&n| n as usize).collect()),
            shared: shared_bytes(kernel),
        }
    }

    /// The same in the runtime's representation.
    pub fn borrowed(&self) -> BlockNeeds<'_> {
        let Needs { rank, threads, usual, shared } = self;
        BlockNeeds { rank: *rank, threads: *threads, usual: usual.as_deref(), shared }
    }
}

/// The launched versions of the kernel that a query names.
pub fn asked_about(program: &Program, asked: &BlockSize) -> Vec<(KernelId, Needs)> {
    let Some((_, span)) = &asked.kernel else { return Vec::new() };
    let mut launched = BTreeSet::new();
    for (_, function) in program.functions.iter() {
        visit_stmts(&function.body.block, &mut |stmt| {
            if let StmtKind::Launch { kernel, .. } = &stmt.kind {
                launched.insert(*kernel);
            }
        });
    }
    let versions = launched.into_iter().filter(|id| program.kernels[*id].span == *span);
    versions.map(|id| (id, Needs::of(&program.kernels[id]))).collect()
}

// ---- shared arrays whose extents depend on the block

/// A polynomial in the extents of a block: coefficients by exponents, the last dimension first.
type Polynomial = BTreeMap<[u8; 3], i64>;

/// Alignment of shared arrays in bytes.
const ALIGNMENT: i64 = 16;

/// The bytes of a kernel's shared arrays whose extents are computed from the block's; others are the same for all
/// blocks, or unknown before the kernel runs.
fn shared_bytes(kernel: &Kernel) -> Vec<Term> {
    let body = &kernel.body;
    let defined = definitions(body);
    let bounds = Bounds::of(body);
    let mut sum = Polynomial::new();
    visit_stmts(&body.block, &mut |stmt| {
        let StmtKind::Shared { variable, dims, .. } = &stmt.kind else { return };
        if bounds.elements(dims).is_some() {
            return;
        }
        let size = element_of(&body.variables[*variable].ty).map_or(1, |element| element.size() as i64);
        let mut bytes = Polynomial::from([([0; 3], size)]);
        for dim in dims {
            let Some(factor) = polynomial(dim, kernel.rank, &defined, 0) else { return };
            let Some(product) = times(&bytes, &factor) else { return };
            bytes = product;
        }
        *bytes.entry([0; 3]).or_default() += ALIGNMENT - 1;
        for (powers, factor) in bytes {
            let all = sum.entry(powers).or_default();
            *all = all.saturating_add(factor);
        }
    });
    sum.into_iter().filter(|(_, factor)| *factor != 0).map(|(powers, factor)| (factor, powers)).collect()
}

/// The variables with a single assignment, and their values.
fn definitions(body: &Body) -> Definitions {
    let (mut times, mut found) = (BTreeMap::<VarId, usize>::new(), Definitions::new());
    visit_stmts(&body.block, &mut |stmt| {
        sets(stmt, &mut |variable| *times.entry(*variable).or_default() += 1);
        if let StmtKind::Assign { variable, value } = &stmt.kind {
            found.insert(*variable, value.clone());
        }
    });
    found.retain(|variable, _| times.get(variable) == Some(&1) && !body.params.contains(variable));
    found
}

type Definitions = BTreeMap<VarId, Expr>;

/// An integer expression as a polynomial in the block's extents.
fn polynomial(expr: &Expr, rank: usize, defined: &Definitions, depth: usize) -> Option<Polynomial> {
    /// Recursion limit, since definitions may refer to each other.
    const DEEPEST: usize = 32;
    if depth > DEEPEST {
        return None;
    }
    let of = |expr: &Expr| polynomial(expr, rank, defined, depth + 1);
    match &expr.kind {
        ExprKind::Constant(_) => Some(Polynomial::from([([0; 3], i64::from(expr.constant_int()?))])),
        ExprKind::Coordinate(Coordinate::BlockDim, axis) => {
            let from_last = rank.checked_sub(1 + axis)?;
            let mut powers = [0; 3];
            // Blocks have extent one along further dimensions.
            if let Some(power) = powers.get_mut(from_last) {
                *power = 1;
            }
            Some(Polynomial::from([(powers, 1)]))
        }
        ExprKind::Local(variable) => of(defined.get(variable)?),
        ExprKind::Convert(inner) => of(inner),
        ExprKind::Load { array, index, .. } => match index.as_slice() {
            [Index::At(at)] => {
                let array = match &array.kind {
                    ExprKind::Local(variable) => defined.get(variable)?,
                    _ => &**array,
                };
                let ExprKind::Array(items) = &array.kind else { return None };
                of(items.get(usize::try_from(at.constant_int()?).ok()?)?)
            }
            _ => None,
        },
        ExprKind::Apply { row, args } => match (row.name, args.as_slice()) {
            ("add", [a, b]) => plus(of(a)?, &of(b)?, 1),
            ("subtract", [a, b]) => plus(of(a)?, &of(b)?, -1),
            ("multiply", [a, b]) => times(&of(a)?, &of(b)?),
            _ => None,
        },
        _ => None,
    }
}

fn plus(mut a: Polynomial, b: &Polynomial, sign: i64) -> Option<Polynomial> {
    for (powers, factor) in b {
        let sum = a.entry(*powers).or_default();
        *sum = sum.checked_add(factor.checked_mul(sign)?)?;
    }
    Some(a)
}

fn times(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    let mut product = Polynomial::new();
    for (p, x) in a {
        for (q, y) in b {
            let mut powers = *p;
            for (power, more) in powers.iter_mut().zip(q) {
                *power = power.checked_add(*more)?;
            }
            let sum = product.entry(powers).or_default();
            *sum = sum.checked_add(x.checked_mul(*y)?)?;
        }
    }
    Some(product)
}
