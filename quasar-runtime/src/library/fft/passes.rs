//! Transforms along one axis. Lines whose elements lie side by side are transformed where they are. Others are gathered, some
//! neighbours at a time, so that every cache line is used whole.

use super::{Direction, Precision};
use crate::context;
use crate::error::{Error, Result};
use crate::threads;
use num_complex::Complex;
use quasar_devicelib::value::{ArrayElement, ValueError, array};
use quasar_fft::Fft;
use std::sync::{Arc, Mutex, PoisonError};

/// Neighbouring lines that are gathered at a time.
const TILE: usize = 16;
/// Elements between two of them, so that those of a power of two do not meet in one set of the cache.
const GAP: usize = 8;
/// Elements that a thread takes at least.
const LEAST: usize = 4096;
/// Parts a thread, if that leaves it enough to do.
const PARTS: usize = 4;

/// The transforms of all lines along an axis.
pub(super) struct Pass<T: Precision> {
    plan: Arc<dyn Fft<T>>,
    /// Elements of a line.
    n: usize,
    /// What results are multiplied by.
    scale: T,
    parallel: bool,
    failure: Mutex<Option<Error>>,
}

/// Memory of a thread.
pub(super) struct Space<T> {
    lines: Vec<Complex<T>>,
    scratch: Vec<Complex<T>>,
}

impl<T: Precision> Pass<T>
where
    Complex<T>: ArrayElement,
{
    /// Lines of `n` elements in an array of some size.
    pub(super) fn new(n: usize, dims: &[usize], direction: Direction, scale: T) -> Pass<T> {
        let elements: usize = dims.iter().product();
        let work = elements as u64 * u64::from(5 * (usize::BITS - n.leading_zeros()));
        Pass {
            plan: T::plan(n, direction == Direction::Inverse),
            n,
            scale,
            parallel: work >= context::serial_work(),
            failure: Mutex::default(),
        }
    }

    /// The lines of the source, one after the other, transformed.
    pub(super) fn copy<S: Sync>(
        &self,
        source: &[S],
        target: &mut [Complex<T>],
        element: impl Fn(&S) -> Complex<T> + Sync,
    ) -> Result<()> {
        let part = self.n * LEAST.div_ceil(self.n);
        self.each(target.chunks_mut(part).zip(source.chunks(part)), 0, |space, (target, source)| {
            target.iter_mut().zip(source).for_each(|(to, from)| *to = element(from));
            target.chunks_exact_mut(self.n).for_each(|line| self.line(line, space));
        })
    }

    /// Transforms lines whose elements are `stride` apart, in blocks of that many lines.
    pub(super) fn along(&self, elements: &mut [Complex<T>], stride: usize) -> Result<()> {
        if self.n < 2 {
            return Ok(());
        }
        let room = stride.min(TILE) * (self.n + GAP);
        let block = self.n * stride;
        if stride <= TILE || elements.len() / block >= threads::count() * PARTS {
            return self.each(elements.chunks_exact_mut(block), room, |space, block| {
                let mut rows: Vec<_> = block.chunks_exact_mut(stride).collect();
                for first in (0..stride).step_by(TILE) {
                    let tile = rows
                        .iter_mut()
                        .map(|row| row.get_mut(first..stride.min(first + TILE)).unwrap_or_default());
                    self.tile(&mut tile.collect::<Vec<_>>(), space);
                }
            });
        }
        for block in elements.chunks_exact_mut(block) {
            let empty = || array::reserve(self.n);
            let mut tiles =
                (0..stride.div_ceil(TILE)).map(|_| empty()).collect::<std::result::Result<Vec<_>, _>>()?;
            for row in block.chunks_exact_mut(stride) {
                tiles.iter_mut().zip(row.chunks_mut(TILE)).for_each(|(tile, piece)| tile.push(piece));
            }
            self.each(tiles, room, |space, mut tile| self.tile(&mut tile, space))?;
        }
        Ok(())
    }

    /// Transforms the columns of a tile.
    fn tile(&self, rows: &mut [&mut [Complex<T>]], space: &mut Space<T>) {
        let mut lines = space.take();
        let length = self.n + GAP;
        for (k, row) in rows.iter().enumerate() {
            for (line, x) in lines.chunks_exact_mut(length).zip(row.iter()) {
                line.get_mut(k).into_iter().for_each(|to| *to = *x);
            }
        }
        let columns = rows.first().map_or(0, |row| row.len());
        for line in lines.chunks_exact_mut(length).take(columns) {
            line.get_mut(..self.n).into_iter().for_each(|line| self.line(line, space));
        }
        for (k, row) in rows.iter_mut().enumerate() {
            for (line, to) in lines.chunks_exact(length).zip(row.iter_mut()) {
                line.get(k).into_iter().for_each(|x| *to = *x);
            }
        }
        space.put(lines);
    }

    /// Transforms and scales a line.
    pub(super) fn line(&self, line: &mut [Complex<T>], space: &mut Space<T>) {
        if self.n > 1 {
            self.plan.process_with_scratch(line, &mut space.scratch);
        }
        if self.scale != T::one() {
            line.iter_mut().for_each(|x| *x = x.scale(self.scale));
        }
    }

    /// Does all parts of the work, by threads that have room for some elements besides what the plan needs.
    pub(super) fn each<P: Send>(
        &self,
        parts: impl IntoIterator<Item = P>,
        room: usize,
        work: impl Fn(&mut Space<T>, P) + Sync,
    ) -> Result<()> {
        let mut parts: Vec<P> = parts.into_iter().collect();
        let groups = if self.parallel { threads::count() * PARTS } else { 1 };
        let each = parts.len().div_ceil(groups).max(1);
        let mut grouped = Vec::new();
        while !parts.is_empty() {
            grouped.push(parts.split_off(parts.len().saturating_sub(each)));
        }
        let group = |group: Vec<P>| match self.space(room) {
            Ok(mut space) => group.into_iter().for_each(|part| work(&mut space, part)),
            Err(error) => *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.into()),
        };
        match self.parallel {
            true => threads::each(grouped, group),
            false => grouped.into_iter().for_each(group),
        }
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    fn space(&self, room: usize) -> std::result::Result<Space<T>, ValueError> {
        let zero = Complex::new(T::zero(), T::zero());
        let scratch = array::filled(zero, self.plan.get_inplace_scratch_len())?;
        Ok(Space { lines: array::filled(zero, room)?, scratch })
    }
}

impl<T> Space<T> {
    /// The room that was asked for.
    pub(super) fn take(&mut self) -> Vec<Complex<T>> {
        std::mem::take(&mut self.lines)
    }

    /// Gives it back.
    pub(super) fn put(&mut self, lines: Vec<Complex<T>>) {
        self.lines = lines;
    }
}
