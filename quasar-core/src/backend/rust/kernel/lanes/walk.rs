//! The walk over the rows of a task by vectors: long ones, then short ones, then what no vector covers.

use super::super::super::code::Ident;
use super::super::super::code::{Code, Literal, quote};
use super::super::super::names::number;
use super::{Form, positions};
use crate::ir::Kernel;
use crate::target::cpu::{COLLAPSED_CHANNELS, END_VECTOR, TILE_COLUMNS};

/// What calls the function for vectors.
pub(in super::super) struct Vectors {
    pub(super) bounds: Option<Code>,
    pub(super) assumed: Code,
    pub(super) name: Ident,
    pub(super) args: Code,
    pub(super) lanes: u32,
    /// Lanes of vectors before those, as long as there are positions for them.
    pub(super) widest: Option<u32>,
    pub(super) overlaps: bool,
    /// Where the last two components of the position are one: the number of elements along the last dimension of arrays that must
    /// have as many.
    pub(super) channels: Option<Code>,
    /// Whether there are stores in loops, so that no vector may give up half-way.
    pub(super) streams: bool,
    /// Whether a vector gives up where something failed. The rest of its row is left to the code of single positions.
    pub(super) gives_up: bool,
    /// Conditions on the extents of interleaved arrays.
    pub(super) interleaved: Code,
    pub(super) form: Form,
}

impl Vectors {
    /// The walk over the rows of a task. `rest` does the positions of a task that no vector covers; those at the end of a row, fewer than
    /// a vector has, are vectors of one lane where `rest` does much before each row (`prepares`).
    pub(in super::super) fn walk(&self, kernel: &Kernel, rest: &Code, prepares: bool) -> Code {
        let positions = positions(kernel);
        if let Form::Tile { axis, rows } = self.form {
            return self.tiles(&positions, (axis, rows), rest);
        }
        let (assumed, turns) = (&self.assumed, self.turns());
        let extents = &self.interleaved;
        let alone = if prepares { self.alone() } else { Code::new() };
        // Behind its bounds a row has nothing to do.
        let bounds = self.bounds.as_ref();
        let bounds = bounds.map(|bounds| quote!(#bounds let task = task.between(columns.range());));
        if let Some(extents) = &self.channels {
            return quote! {
                let channels = task.channels(#COLLAPSED_CHANNELS, &[#extents]);
                for run in task.runs(channels) {
                    let at = run.at;
                    #positions
                    let mut columns = lib::Columns::all();
                    #assumed
                    for s in run.segments(columns.range()) {
                        let mut done = 0;
                        if let Some(channels) = channels && !s.edge { #turns }
                        for task in run.parts(s.start.wrapping_add(done as i32), s.len - done) { #rest }
                    }
                }
            };
        }
        quote! {
            for at in task.rows() {
                #positions
                let mut columns = lib::Columns::all();
                #bounds
                #assumed
                for s in task.segments(columns.range(), false) {
                    let mut done = 0;
                    if !s.edge #extents { #turns #alone }
                    if done < s.len {
                        let task = task.part(at, s.start.wrapping_add(done as i32), s.len - done);
                        #rest
                    }
                }
            }
        }
    }

    /// The walk over tiles of rows. Rows and columns that are in none are left to `rest`.
    fn tiles(&self, positions: &Code, (axis, rows): (usize, usize), rest: &Code) -> Code {
        let (assumed, turns) = (&self.assumed, self.turns());
        let (axis, rows, extents, bounds) = (number(axis), number(rows), &self.interleaved, &self.bounds);
        quote! {
            for task in task.blocks(#TILE_COLUMNS) {
                for tile in task.tiles(#axis, #rows) {
                    let (mut start, mut done) = (0, 0);
                    if let Some(at) = tile.first() {
                        #positions
                        let mut columns = lib::Columns::all();
                        #bounds
                        #assumed
                        let s = tile.inside(columns.range());
                        if true #extents { #turns }
                        start = s.start;
                    }
                    for task in tile.without(start, done) { #rest }
                }
            }
        }
    }

    /// The call for so many lanes from `at` on. Where `inside`, it gives up where they read or write outside of an array.
    fn call(&self, lanes: &Literal, inside: bool) -> Code {
        let (name, args) = (&self.name, &self.args);
        let channels = self.channels.as_ref().map(|_| quote!(channels,));
        quote!(#name::<I, #lanes, #inside>(at, #channels #args))
    }

    /// The last positions of a row one by one.
    fn alone(&self) -> Code {
        let one = self.call(&number(1), false);
        let step = if self.streams { quote!(#one;) } else { quote!(if !#one { break; }) };
        quote! {
            while done < s.len {
                let at = s.start.wrapping_add(done as i32);
                #step
                done += 1;
            }
        }
    }

    /// Long vectors as long as there are positions for them, then short ones. Where one reads or writes outside of an array, short
    /// ones take its place, so that only these have code for that, and values stay in registers in the others. Each of the three
    /// is called at one place, since they are compiled into the walk.
    fn turns(&self) -> Code {
        let (long, short, overlaps) =
            (number(self.lanes as usize), number(END_VECTOR as usize), self.overlaps);
        let (vector, part, mapped) =
            (self.call(&long, true), self.call(&short, true), self.call(&short, false));
        let widest = self.widest.map(|lanes| number(lanes as usize)).map(|lanes| {
            let vector = self.call(&lanes, !self.streams);
            let gives_up = if self.streams { quote!(#vector;) } else { quote!(if !#vector { break; }) };
            quote! {
                while s.len - done >= #lanes {
                    let at = s.start.wrapping_add(done as i32);
                    #gives_up
                    done += #lanes;
                }
            }
        });
        if self.streams {
            let vector = self.call(&long, false);
            return quote! {
                #widest
                while let Some((at, long)) = lib::next_vector::<#long, #short>(&mut done, s.len, #overlaps) {
                    let at = s.start.wrapping_add(at as i32);
                    if long { #vector; } else { #mapped; }
                }
            };
        }
        let (begin, otherwise) = match self.gives_up {
            true => {
                (quote!('vectors:), quote!(if !(#part || #mapped) { done = first + part; break 'vectors; }))
            }
            false => (Code::new(), quote!(if !#part { #mapped; })),
        };
        quote! {
            #widest
            #begin while let Some((first, long)) = lib::next_vector::<#long, #short>(&mut done, s.len, #overlaps) {
                let from = s.start.wrapping_add(first as i32);
                let at = from;
                if !(long && #vector) {
                    for part in (0..if long { #long } else { #short }).step_by(#short) {
                        let at = from.wrapping_add(part as i32);
                        #otherwise
                    }
                }
            }
        }
    }
}
