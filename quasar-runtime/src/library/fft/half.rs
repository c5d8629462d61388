//! Transforms between real numbers and their spectra over several axes. The spectrum of real numbers has the conjugate at the negated
//! frequencies, so that half of it says all: the frequencies up to `n / 2` of the last axis. Two rows of real numbers, as the real and
//! the imaginary parts of one, share a transform, from which their spectra are told apart.
//!
//! Rows share only where the other axes mix them anyway: a row that holds an infinity makes all results not a number, as it does in the
//! definition.

use super::passes::Pass;
use super::{Direction, Precision, Source};
use crate::array::Array;
use crate::error::Result;
use num_complex::Complex;
use quasar_devicelib::value::ArrayElement;

/// The sizes of an array that is, or becomes, real.
pub(super) struct Real<'a, T> {
    dims: &'a [usize],
    /// The extents of the other axes that are transformed, and the number of their positions.
    others: &'a [usize],
    rows: usize,
    /// Elements along the last axis, and of half a spectrum.
    n: usize,
    half: usize,
    /// Elements beside each other that are transforms of their own, such as the channels of pixels.
    inner: usize,
    scale: T,
}

impl<'a, T: Precision> Real<'a, T>
where
    Complex<T>: ArrayElement,
{
    /// An array that is transformed over the axes up to `axis`.
    pub(super) fn new(dims: &'a [usize], axis: usize, scale: T) -> Self {
        let (others, rest) = dims.split_at_checked(axis).unwrap_or((dims, &[]));
        let n = rest.first().copied().unwrap_or(1);
        let inner = rest.iter().skip(1).product();
        Real { dims, others, rows: others.iter().product(), n, half: n / 2 + 1, inner, scale }
    }

    /// The spectrum of real numbers, or their inverse transform, which is the scaled conjugate of it.
    pub(super) fn spectrum(&self, source: &[T], direction: Direction) -> Result<Array<Complex<T>>> {
        let halves = Array::<Complex<T>>::uninit(&[self.rows, self.half, self.inner])?;
        {
            let mut halves = halves.try_overwrite()?;
            self.split_rows(source, &mut halves)?;
            self.along_others(&mut halves, Direction::Forward)?;
        }
        let spectrum = Array::<Complex<T>>::uninit(self.dims)?;
        self.complete(&halves.try_read()?, &mut spectrum.try_overwrite()?, direction)?;
        Ok(spectrum)
    }

    /// The real part of a transform: the transform of the part of the spectrum that belongs to real numbers.
    pub(super) fn real_part(&self, source: &Source<'_, T>, direction: Direction) -> Result<Array<T>> {
        let halves = Array::<Complex<T>>::uninit(&[self.rows, self.half, self.inner])?;
        let mut halves = halves.try_overwrite()?;
        match source {
            Source::Complex(x) => self.reduce(x, &mut halves, |x| *x)?,
            Source::Real(x) => self.reduce(x, &mut halves, |x| Complex::new(*x, T::zero()))?,
        }
        self.along_others(&mut halves, direction)?;
        let real = Array::<T>::uninit(self.dims)?;
        self.join_rows(&halves, &mut real.try_overwrite()?, direction)?;
        Ok(real)
    }

    fn pass(&self, n: usize, direction: Direction) -> Pass<T> {
        Pass::new(n, &[self.rows, self.half, self.inner], direction, T::one())
    }

    /// Transforms half spectra along the other axes.
    fn along_others(&self, halves: &mut [Complex<T>], direction: Direction) -> Result<()> {
        for (axis, &n) in self.others.iter().enumerate() {
            let behind: usize = self.others.iter().skip(axis + 1).product();
            self.pass(n, direction).along(halves, behind * self.half * self.inner)?;
        }
        Ok(())
    }

    /// Transforms the rows, two at a time.
    fn split_rows(&self, source: &[T], halves: &mut [Complex<T>]) -> Result<()> {
        let Real { n, half, inner, .. } = *self;
        let pass = self.pass(n, Direction::Forward);
        let pairs = halves.chunks_mut(2 * half * inner).zip(source.chunks(2 * n * inner));
        pass.each(pairs, n, |space, (halves, source)| {
            let (a, b) = source.split_at_checked(n * inner).unwrap_or_default();
            let (to_a, to_b) = halves.split_at_mut_checked(half * inner).unwrap_or_default();
            let mut line = space.take();
            if inner == 1 {
                self.place(&mut line, a.iter(), b.iter());
                pass.line(&mut line, space);
                self.tell_apart(&line, to_a.iter_mut(), to_b.iter_mut());
            } else {
                for column in 0..inner {
                    let [a, b] = [a, b].map(|row| row.iter().skip(column).step_by(inner));
                    self.place(&mut line, a, b);
                    pass.line(&mut line, space);
                    let [a, b] =
                        [&mut *to_a, &mut *to_b].map(|row| row.iter_mut().skip(column).step_by(inner));
                    self.tell_apart(&line, a, b);
                }
            }
            space.put(line);
        })
    }

    /// Transforms half spectra of rows back to real ones, two at a time.
    fn join_rows(&self, halves: &[Complex<T>], real: &mut [T], direction: Direction) -> Result<()> {
        let Real { n, half, inner, .. } = *self;
        let pass = self.pass(n, direction);
        let pairs = real.chunks_mut(2 * n * inner).zip(halves.chunks(2 * half * inner));
        pass.each(pairs, n, |space, (real, halves)| {
            let (a, b) = halves.split_at_checked(half * inner).unwrap_or_default();
            let (to_a, to_b) = real.split_at_mut_checked(n * inner).unwrap_or_default();
            let mut line = space.take();
            for column in 0..inner {
                let [a, b] = [a, b].map(|row| row.iter().skip(column).step_by(inner));
                self.join(&mut line, a, b);
                pass.line(&mut line, space);
                to_a.iter_mut().skip(column).step_by(inner).zip(&line).for_each(|(to, z)| *to = z.re);
                to_b.iter_mut().skip(column).step_by(inner).zip(&line).for_each(|(to, z)| *to = z.im);
            }
            space.put(line);
        })
    }

    /// One row as the real parts, and one, if there is another, as the imaginary parts.
    fn place<'x>(
        &self,
        line: &mut [Complex<T>],
        a: impl Iterator<Item = &'x T>,
        b: impl Iterator<Item = &'x T>,
    ) {
        line.iter_mut().zip(a).for_each(|(z, a)| *z = Complex::new(*a, T::zero()));
        line.iter_mut().zip(b).for_each(|(z, b)| z.im = *b);
    }

    /// The half spectra of the rows whose common transform a line is.
    fn tell_apart<'x>(
        &self,
        line: &[Complex<T>],
        mut a: impl Iterator<Item = &'x mut Complex<T>>,
        mut b: impl Iterator<Item = &'x mut Complex<T>>,
    ) {
        let half = T::one() / (T::one() + T::one());
        let low = line.get(1..self.half).unwrap_or(&[]);
        let high = line.get(self.n + 1 - self.half..).unwrap_or(&[]);
        let zero = line.first().copied().unwrap_or_default();
        a.by_ref().take(1).for_each(|to| *to = Complex::new(zero.re, T::zero()));
        b.by_ref().take(1).for_each(|to| *to = Complex::new(zero.im, T::zero()));
        for ((to, z), m) in a.zip(low).zip(high.iter().rev()) {
            *to = Complex::new((z.re + m.re) * half, (z.im - m.im) * half);
        }
        for ((to, z), m) in b.zip(low).zip(high.iter().rev()) {
            *to = Complex::new((z.im + m.im) * half, (m.re - z.re) * half);
        }
    }

    /// The spectrum of a row, and of one, if there is another, times the imaginary unit.
    fn join<'x>(
        &self,
        line: &mut [Complex<T>],
        a: impl Iterator<Item = &'x Complex<T>> + Clone,
        b: impl Iterator<Item = &'x Complex<T>> + Clone,
    ) {
        let (low, high) = line.split_at_mut_checked(self.half).unwrap_or_default();
        low.iter_mut().zip(a.clone()).for_each(|(z, a)| *z = *a);
        low.iter_mut().zip(b.clone()).for_each(|(z, b)| *z = Complex::new(z.re - b.im, z.im + b.re));
        high.iter_mut().rev().zip(a.skip(1)).for_each(|(z, a)| *z = Complex::new(a.re, -a.im));
        high.iter_mut().rev().zip(b.skip(1)).for_each(|(z, b)| *z = Complex::new(z.re + b.im, z.im + b.re));
    }

    /// The row of the negated frequencies.
    fn mirrored(&self, row: usize) -> usize {
        let (mut rest, mut stride, mut found) = (row, 1, 0);
        for &extent in self.others.iter().rev() {
            found += (extent - rest % extent) % extent * stride;
            rest /= extent;
            stride *= extent;
        }
        found
    }

    /// Whole spectra from halves. Those of inverse transforms are conjugates.
    fn complete(&self, halves: &[Complex<T>], whole: &mut [Complex<T>], direction: Direction) -> Result<()> {
        let Real { n, half, inner, scale, .. } = *self;
        let sign = if direction == Direction::Inverse { -scale } else { scale };
        let row = |row: usize| halves.get(row * half * inner..(row + 1) * half * inner).unwrap_or(&[]);
        self.pass(n, direction).each(whole.chunks_mut(n * inner).enumerate(), 0, |_, (k, whole)| {
            let (low, high) = whole.split_at_mut_checked(half * inner).unwrap_or_default();
            for (to, z) in low.iter_mut().zip(row(k)) {
                *to = Complex::new(z.re * scale, z.im * sign);
            }
            let put =
                |(to, z): (&mut Complex<T>, &Complex<T>)| *to = Complex::new(z.re * scale, -z.im * sign);
            let mirrored = row(self.mirrored(k)).get(inner..(n + 1 - half) * inner).unwrap_or(&[]);
            match inner {
                1 => high.iter_mut().zip(mirrored.iter().rev()).for_each(put),
                _ => {
                    for (to, from) in high.chunks_exact_mut(inner).zip(mirrored.chunks_exact(inner).rev()) {
                        to.iter_mut().zip(from).for_each(put);
                    }
                }
            }
        })
    }

    /// Halves of the part of whole spectra that belongs to real numbers.
    fn reduce<S: Sync>(
        &self,
        whole: &[S],
        halves: &mut [Complex<T>],
        element: impl Fn(&S) -> Complex<T> + Sync,
    ) -> Result<()> {
        let Real { n, half, inner, scale, .. } = *self;
        let factor = scale / (T::one() + T::one());
        let row = |row: usize| whole.get(row * n * inner..(row + 1) * n * inner).unwrap_or(&[]);
        let pass = self.pass(n, Direction::Forward);
        pass.each(halves.chunks_mut(half * inner).enumerate(), 0, |_, (k, halves)| {
            let put = |((to, z), m): ((&mut Complex<T>, &S), &S)| {
                let (z, m) = (element(z), element(m));
                *to = Complex::new((z.re + m.re) * factor, (z.im - m.im) * factor);
            };
            let (row, mirrored) = (row(k), row(self.mirrored(k)));
            let (first, rest) = halves.split_at_mut_checked(inner).unwrap_or_default();
            first.iter_mut().zip(row).zip(mirrored).for_each(put);
            let row = row.get(inner..).unwrap_or(&[]);
            match inner {
                1 => rest.iter_mut().zip(row).zip(mirrored.iter().rev()).for_each(put),
                _ => {
                    let both = row.chunks_exact(inner).zip(mirrored.chunks_exact(inner).rev());
                    for (to, (row, mirrored)) in rest.chunks_exact_mut(inner).zip(both) {
                        to.iter_mut().zip(row).zip(mirrored).for_each(put);
                    }
                }
            }
        })
    }
}
