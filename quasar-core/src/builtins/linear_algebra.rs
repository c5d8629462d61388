//! Builtins for matrices and Fourier transforms.

use super::typing::{CallTypes, Typing, TypingError};
use super::{Availability::*, Builtin, Entry, Kind, row};
use crate::types::{ArrayType, ElementType, Type};

pub(super) static TABLE: &[Entry] = &[
    row("inv", "Inverse of a matrix.", Everywhere, Kind::Library("inv"), (1, 1), square),
    row("pinv", "Pseudo-inverse of a matrix.", Host, Kind::Library("pinv"), (1, 1), transposed),
    row("det", "Determinant.", Everywhere, Kind::Library("det"), (1, 1), number),
    row("logdet", "Logarithm of the determinant.", Host, Kind::Library("logdet"), (1, 1), number),
    row("trace", "Sum of the diagonal.", Everywhere, Kind::Library("trace"), (1, 1), number),
    row("rank", "Rank of a matrix.", Host, Kind::Library("rank"), (1, 1), int),
    row("diag", "The diagonal as a vec.", Everywhere, Kind::Library("diag"), (1, 1), diag),
    row("diagonal", "The diagonal as a vec.", Everywhere, Kind::Library("diag"), (1, 1), diag),
    row("diagm", "A diagonal matrix.", Everywhere, Kind::Library("diagm"), (1, 1), diagm),
    row("svd", "Singular value decomposition U, S, V.", Everywhere, Kind::Library("svd"), (1, 1), svd),
    row(
        "symeig",
        "Eigenvectors and eigenvalues of a symmetric matrix.",
        Everywhere,
        Kind::Library("symeig"),
        (1, 1),
        symeig,
    ),
    row("cholesky", "Lower Cholesky factor.", Everywhere, Kind::Library("cholesky"), (1, 1), square),
    row("qr", "Orthogonal and upper triangular factor.", Host, Kind::Library("qr"), (1, 1), factors),
    row("lu", "Triangular factors and permutation.", Host, Kind::Library("lu"), (1, 1), factors),
    row("solve", "Solution of a linear system.", Host, Kind::Library("solve"), (2, 2), second),
    row("kron", "Kronecker product.", Host, Kind::Library("kron"), (2, 2), kron),
    row(
        "fft1",
        "Fourier transform along the last dimension.",
        Host,
        Kind::Library("fft1"),
        (1, 1),
        transform,
    ),
    row("fft2", "Fourier transform over two dimensions.", Host, Kind::Library("fft2"), (1, 1), transform),
    row("fft3", "Fourier transform over three dimensions.", Host, Kind::Library("fft3"), (1, 1), transform),
    row("ifft1", "Inverse of fft1.", Host, Kind::Library("ifft1"), (1, 1), transform),
    row("ifft2", "Inverse of fft2.", Host, Kind::Library("ifft2"), (1, 1), transform),
    row("ifft3", "Inverse of fft3.", Host, Kind::Library("ifft3"), (1, 1), transform),
    row("realfft1", "fft1 of real data.", Host, Kind::Library("realfft1"), (1, 1), transform),
    row("realfft2", "fft2 of real data.", Host, Kind::Library("realfft2"), (1, 1), transform),
    row("realfft3", "fft3 of real data.", Host, Kind::Library("realfft3"), (1, 1), transform),
    row("irealfft1", "Real part of ifft1.", Host, Kind::Library("irealfft1"), (1, 1), inverse_real),
    row("irealfft2", "Real part of ifft2.", Host, Kind::Library("irealfft2"), (1, 1), inverse_real),
    row("irealfft3", "Real part of ifft3.", Host, Kind::Library("irealfft3"), (1, 1), inverse_real),
];

fn float(call: &CallTypes<'_>, position: usize) -> ElementType {
    match call.ty(position).element_type() {
        Some(element) if !element.is_integer() => element,
        _ => call.working,
    }
}

fn matrix(call: &CallTypes<'_>, position: usize) -> Result<ArrayType, TypingError> {
    let array = call.expect_numbers(position)?;
    match array.known_rank() {
        Some(0..=2) => Ok(array.with_sizes(&crate::types::shape::raise(&array.sizes, 2))),
        _ => {
            Err(TypingError::Argument(position, format!("expected a matrix, found '{}'", call.ty(position))))
        }
    }
}

/// The extents of a square matrix.
fn square_size(call: &CallTypes<'_>) -> Result<[Option<u32>; 2], TypingError> {
    let array = matrix(call, 0)?;
    match crate::types::shape::same_size(array.sizes[0], array.sizes[1]) {
        Some(size) => Ok([size, size]),
        None => Err(TypingError::Argument(0, format!("expected a square matrix, found '{}'", call.ty(0)))),
    }
}

fn square(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    let ty = Type::numbers(float(call, 0), &square_size(call)?);
    Typing::of(vec![ty.clone()], vec![ty])
}

fn transposed(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    let array = matrix(call, 0)?;
    let element = float(call, 0);
    let args = vec![call.ty(0).with_element(element)];
    Typing::of(args, vec![Type::numbers(element, &[array.sizes[1], array.sizes[0]])])
}

fn number(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    let element = float(call, 0);
    let sizes = square_size(call)?;
    Typing::of(vec![Type::numbers(element, &sizes)], vec![Type::scalar(element)])
}

fn int(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Typing::one(call, Type::INT)
}

fn diag(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    let array = matrix(call, 0)?;
    let length = array.sizes[0].zip(array.sizes[1]).map(|(m, n)| m.min(n));
    Typing::one(call, Type::array((*array.element).clone(), &[length]))
}

fn diagm(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    let array = call.expect_numbers(0)?;
    let length = array.vector_length();
    Typing::one(call, Type::array((*array.element).clone(), &[length, length]))
}

fn svd(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::of(call.types(), vec![Type::Dynamic; 3]);
    }
    let array = matrix(call, 0)?;
    let element = float(call, 0);
    let (m, n) = (array.sizes[0], array.sizes[1]);
    let k = m.zip(n).map(|(m, n)| m.min(n));
    let mat = |a, b| Type::numbers(element, &[a, b]);
    Typing::of(vec![mat(m, n)], vec![mat(m, k), mat(k, k), mat(n, k)])
}

fn symeig(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::of(call.types(), vec![Type::Dynamic; 2]);
    }
    let sizes = square_size(call)?;
    let element = float(call, 0);
    let ty = Type::numbers(element, &sizes);
    Typing::of(vec![ty.clone()], vec![ty, Type::numbers(element.real(), &sizes[..1])])
}

fn factors(builtin: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let count = if builtin.name == "lu" { 3 } else { 2 };
    if call.dynamic() {
        return Typing::of(call.types(), vec![Type::Dynamic; count]);
    }
    matrix(call, 0)?;
    let ty = Type::numbers(float(call, 0), &[None, None]);
    Typing::of(vec![call.ty(0).with_element(float(call, 0))], vec![ty; count])
}

fn second(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    matrix(call, 0)?;
    let element = quasar_devicelib::element::promote(float(call, 0), float(call, 1));
    let args = call.args.iter().map(|arg| arg.ty.with_element(element)).collect();
    Typing::of(args, vec![call.ty(1).with_element(element)])
}

fn kron(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    let (a, b) = (matrix(call, 0)?, matrix(call, 1)?);
    let element = crate::types::lattice::join(&a.element, &b.element);
    let size = |k: usize| a.sizes[k].zip(b.sizes[k]).and_then(|(a, b)| a.checked_mul(b));
    Typing::one(call, Type::array(element, &[size(0), size(1)]))
}

fn transform(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    call.expect_numbers(0)?;
    let element = float(call, 0);
    Typing::of(vec![call.ty(0).with_element(element)], vec![call.ty(0).with_element(element.complex())])
}

fn inverse_real(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    call.expect_numbers(0)?;
    let element = float(call, 0).complex();
    Typing::of(vec![call.ty(0).with_element(element)], vec![call.ty(0).with_element(element.real())])
}
