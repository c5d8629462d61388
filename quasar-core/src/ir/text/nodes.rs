//! The nodes of the IR and what they consist of.

use super::{Reader, Text, Writer};
use crate::ir::affine::{AffineForm, Conditions, RowRange, Symbol};
use crate::ir::choices::FunctionValues;
use crate::ir::schedule::{
    ArrayBox, BandPlace, Bands, BlockHistogram, BlockLoops, BlockTile, ColumnBound, Conflict, Contraction,
    DeviceSchedule, Factor, GridStride, HeapScopes, Interleaved, Mapping, OnDevice, Operations, OwnElement,
    PositionBoxes, PositionTile, RankDivision, Schedule, SharedLoop, ShortRows, SplitReduction, Staged,
    StoreVector, TableRole, ThreadHeap, Vector, VectorTile, WrittenOut,
};
use crate::ir::versions::{AccessFacts, CodeVersion, CodeVersions, IndexFact};
use crate::ir::{
    Accumulator, BlockSize, Body, Class, Coordinate, Dims, Export, Expr, ExprKind, Failure, Field, Function,
    Global, Handler, Index, Kernel, KernelArg, KernelAttributes, LaunchBounds, LaunchMode, Linear,
    LoopAttributes, LoopMode, NoCopy, Program, Range, RegisterTile, Scope, Slice, Stmt, StmtKind, Storage,
    Target, Tiling, Variable, Vectors,
};
use crate::source::{FileId, Span};
use crate::types::resolve::Bound;
use crate::types::{
    ArrayType, Boundary, ClassId, ClassType, ClosureType, DefinitionId, ElementType, EnumId, FunctionKind,
    FunctionType, Group, Overflow, Rank, Type,
};
use half::f16;
use num_complex::Complex;
use quasar_devicelib::element::Scalar;
use quasar_devicelib::value::Exception;
use std::sync::Arc;

macro_rules! structs {
    ($($name:ident $(in $lines:literal)? { $($field:ident),* })*) => { $(
        impl Text for $name {
            $(const IN_LINES: bool = $lines;)?
            fn write(&self, to: &mut Writer) {
                let $name { $($field),* } = self;
                to.open(stringify!($name));
                $(
                    to.word(stringify!($field));
                    $field.write(to);
                )*
                to.close();
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, String> {
                from.expect("(")?;
                from.expect(stringify!($name))?;
                $(
                    from.expect(stringify!($field))?;
                    let $field = Text::read(from)?;
                )*
                from.expect(")")?;
                Ok($name { $($field),* })
            }
        }
    )* };
}

macro_rules! enums {
    ($($name:ident { $($variant:ident $(($($part:ident),*))? $({ $($field:ident),* })?;)* })*) => { $(
        impl Text for $name {
            fn write(&self, to: &mut Writer) {
                match self {
                    $($name::$variant $(($($part),*))? $({ $($field),* })? => {
                        to.open(stringify!($variant));
                        $($($part.write(to);)*)?
                        $($(
                            to.word(stringify!($field));
                            $field.write(to);
                        )*)?
                    })*
                }
                to.close();
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, String> {
                from.expect("(")?;
                let name = from.atom()?;
                let node = match name {
                    $(stringify!($variant) => {
                        $($(let $part = Text::read(from)?;)*)?
                        $($(
                            from.expect(stringify!($field))?;
                            let $field = Text::read(from)?;
                        )*)?
                        $name::$variant $(($($part),*))? $({ $($field),* })?
                    })*
                    _ => return Err(from.error(&format!("'{name}' is no {}", stringify!($name)))),
                };
                from.expect(")")?;
                Ok(node)
            }
        }
    )* };
}

macro_rules! words {
    ($($name:ident { $($variant:ident)* })*) => { $(
        impl Text for $name {
            fn write(&self, to: &mut Writer) {
                to.word(match self { $($name::$variant => stringify!($variant)),* });
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, String> {
                match from.atom()? {
                    $(stringify!($variant) => Ok($name::$variant),)*
                    name => Err(from.error(&format!("'{name}' is no {}", stringify!($name)))),
                }
            }
        }
    )* };
}

macro_rules! numbers {
    ($($name:ident)*) => { $(
        impl Text for $name {
            fn write(&self, to: &mut Writer) {
                self.0.write(to);
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, String> {
                Text::read(from).map($name)
            }
        }
    )* };
}

numbers! { FileId EnumId ClassId DefinitionId }

words! {
    IndexFact { Unknown InBounds Near }
    NoCopy { Unknown Declared Inferred }
    Storage { Local Shared Constant }
    Target { Any Processor Device Cuda OpenCl NvidiaOpenCl AmdOpenCl }
    Failure { Raised Size Argument Unset }
    LaunchMode { Parallel Serial Devices IfProfitable }
    Scope { Warp Block Grid Host }
    LoopMode { Automatic Parallel Serial Host Threads }
    Coordinate { Position BlockPosition BlockDim BlockIndex BlockCount LaunchDim WarpSize }
    Boundary { Checked Safe Circular Mirror Clamped Unchecked }
    Overflow { Checked Saturate Wrap Truth }
    Group { Warp Block Grid }
    FunctionKind { Host Device Kernel }
    Exception { User Assertion Index Size Overflow Type Argument Memory System }
    ElementType {
        Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Half Single Double ComplexSingle ComplexDouble
    }
}

structs! {
    Field { name, ty }
    Export in true { name, function, doc, span }
    Global in true { name, ty }
    Body { variables, params, results, block }
    Variable in true { name, ty, boundary, constant, nocopy, storage, span }
    Function in true { name, source_name, device, processor, lambda, body, span }
    Kernel in true {
        name, body, rank, accumulators, parallel, divisible, aliased, attributes, strip, schedule, span
    }
    Schedule { vector, collapsed, intervals, linearized, tile, contraction, position_tile, origin, bands, conflicts, one_thread, branchless, tables, written_out, untested, boxes, short_rows, rows, ranks, operations, device }
    Operations { fixed, loops }
    PositionBoxes { block, arrays }
    ArrayBox { array, extents, places, variables }
    WrittenOut { of, positions }
    ShortRows { block, most, plane }
    RankDivision { by_rows, reads, writes, sums, unordered, may_fail, repeatable }
    Bands { array, axis, factor, places, read }
    BandPlace { lead, terms, span }
    DeviceSchedule { mapping, split, block, tile, heap, shared, versions }
    SharedLoop { collapsed, accumulators }
    BlockLoops { body, loops, first, iterations, along_rows }
    BlockTile { body, at, rows, columns, sum, iterations }
    Staged { axes, variable, along_loop }
    CodeVersions { position, tile, near_tile, split, block, block_tile }
    CodeVersion { launch, thread, near, accesses, ranged, fixed }
    Conditions { sums }
    AffineForm { terms, constant }
    RowRange { low, high, boundary }
    ThreadHeap { used, kernel, functions }
    HeapScopes { arrays, loops, call }
    GridStride { own, histograms, vector, gather }
    OwnElement { array, read, written }
    BlockHistogram { array, element, counts }
    SplitReduction { at, accumulators, iterations, columns }
    Vector { lanes, widest, block, wide, overlaps, interleaved, slices, stores, columns, within }
    ColumnBound { least, strict, value }
    StoreVector { array, index, apart, backwards, written }
    Interleaved { array, elements, exact }
    PositionTile { axis, rows, columns }
    VectorTile { axis, rows, vector }
    Contraction { axis, rows, sum, step, of_rows, of_lanes, before, behind, whole }
    Factor { variable, values, axes }
    Conflict { read, written, in_order }
    KernelAttributes {
        declared_uniform, divergent, tiling, flattening, bounds, vectors, name, target, memory_model, enabled, constants_stay, args, block,
        textures
    }
    LaunchBounds { threads, blocks, span }
    Vectors { width, span }
    KernelArg { name, direction, access, op, window, numel, slices, span }
    Linear { factor, name, offset }
    Tiling { local, dims, span }
    RegisterTile { rows, apart, body }
    Accumulator { variable, row }
    Handler { exception, variable, block }
    Range { from, step, to }
    LoopAttributes {
        mode, block, dims, unroll, unrolled_at, interleave, multi_device, skewed, kernel, every_position
    }
    BlockSize { largest, kernel, dims }
    FunctionValues { made, texts }
    ArrayType { element, rank, sizes }
    ClosureType { definition, captures }
    FunctionType { kind, params, results }
}

enums! {
    TableRole { Fills; Reads { of }; }
    OnDevice { Scheduled(schedule); Refused { span, what }; }
    Mapping { Positions; RegisterTiles; Blocks; CooperativeGrid { walks }; GridStride(grid_stride); }
    AccessFacts { Own; Indices(indices); }
    Symbol { Launch(axis); Extent(array, axis); Value(variable); Position(axis); }
    Slice { All; At(at); Range(from, to); }
    Dims { Each(each); Vector(vector); }
    Index { At(at); Range(range); List(list); All; Position(position); }
    Rank { Known(rank); Any; }
    Bound { Type(ty); Integer(value); }
    Type {
        Error; Unit; Dynamic; Scalar(element, overflow); Text; Array(array); Tuple(parts); Enum(id); Closure(closure);
        Choice(candidates); Function(function); TypeValue; Null; Class(class); Pointer(class); Group(group);
    }
    Scalar {
        I8(v); I16(v); I32(v); I64(v); U8(v); U16(v); U32(v); U64(v); F16(v); F32(v); F64(v); C32(v); C64(v);
    }
    StmtKind {
        Assign { variable, value };
        AssignGlobal { global, value };
        Store { array, index, boundary, value };
        Update { array, index, boundary, row, value, atomic, result };
        Exchange { array, index, boundary, value, expected, result };
        SetMember { object, field, value };
        Call { function, args, results };
        CallValue { callee, args, results };
        Library { name, args, results };
        Launch { kernel, dims, block, args, results, mode };
        If { condition, then, otherwise };
        For { variable, range, body, attributes };
        ForEach { variable, over, body, attributes };
        While { condition, body };
        Repeat { body, test, until };
        Break { levels };
        Continue { levels };
        Strips { buffers, body };
        Try { body, handlers };
        Fail { failure, message };
        Assert { condition, text, message };
        Shared { variable, dims, zeroed };
        Barrier(scope);
        Fence(scope);
    }
    ExprKind {
        Constant(value); Text(text); Null; Local(variable); Global(global);
        Apply { row, args };
        Convert(inner); And(a, b); Or(a, b);
        Select { condition, then, otherwise };
        Array(items); Tuple(items); Field(tuple, index); New(fields);
        Function { function, captures };
        Member(object, field); Same(a, b); Sequence(range);
        Load { array, index, boundary };
        Extent(array, axis); Count(array);
        Reduce { row, arg, axis };
        Library { name, args };
        Coordinate(coordinate, component); BlockSize(asked);
    }
}

macro_rules! floats {
    ($($ty:ident $bits:ident)*) => { $(
        impl Text for $ty {
            /// As few digits as tell it from all others; numbers that are none by their bits.
            fn write(&self, to: &mut Writer) {
                if self.is_nan() {
                    to.word(&format!("nan:{}", self.to_bits()));
                } else {
                    to.word(&format!("{self:?}"));
                }
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, String> {
                let word = from.atom()?;
                let value = match word.strip_prefix("nan:") {
                    Some(bits) => bits.parse::<$bits>().ok().map($ty::from_bits),
                    None => word.parse::<$ty>().ok(),
                };
                value.ok_or_else(|| from.error(&format!("'{word}' is no number")))
            }
        }
    )* };
}
floats! { f16 u16 f32 u32 f64 u64 }

impl<T: Text> Text for Complex<T> {
    fn write(&self, to: &mut Writer) {
        self.re.write(to);
        self.im.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        Ok(Complex { re: T::read(from)?, im: T::read(from)? })
    }
}

impl Text for Span {
    fn write(&self, to: &mut Writer) {
        to.word(&format!("@{}:{}..{}", self.file.0, self.start, self.end));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        let span = |word: &str| {
            let (file, range) = word.strip_prefix('@')?.split_once(':')?;
            let (start, end) = range.split_once("..")?;
            let file = FileId(file.parse().ok()?);
            Some(Span { file, start: start.parse().ok()?, end: end.parse().ok()? })
        };
        span(from.atom()?).ok_or_else(|| from.error("expected a place, as in @0:3..7"))
    }
}

impl Text for Expr {
    fn write(&self, to: &mut Writer) {
        self.kind.write(to);
        to.word(":");
        self.ty.write(to);
        self.span.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        let kind = Text::read(from)?;
        from.expect(":")?;
        Ok(Expr { kind, ty: Text::read(from)?, span: Text::read(from)? })
    }
}

impl Text for Stmt {
    const IN_LINES: bool = true;

    fn write(&self, to: &mut Writer) {
        self.kind.write(to);
        self.span.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        Ok(Stmt { kind: Text::read(from)?, span: Text::read(from)? })
    }
}

/// Where a class is mentioned, its number; what it is says the table.
impl Text for ClassType {
    fn write(&self, to: &mut Writer) {
        self.id.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        let id = ClassId::read(from)?;
        let known = from.classes.get(&id).map(|class| ClassType::clone(class));
        // Arguments of a class may be classes behind it in the table.
        Ok(known.unwrap_or_else(|| ClassType {
            id,
            name: format!("class {}", id.0),
            args: Vec::new(),
            base: None,
            mutable: true,
        }))
    }
}

/// The classes, and what they are given.
fn write_classes(classes: &[Class], to: &mut Writer) {
    to.word("classes");
    to.word("[");
    for class in classes {
        to.line();
        let ClassType { id, name, args, base, mutable } = &*class.ty;
        (*id, name.clone()).write(to);
        args.write(to);
        base.as_ref().map(|base| base.id).write(to);
        mutable.write(to);
    }
    to.out.push(']');
    to.word("fields");
    to.word("[");
    for Class { ty: _, fields, circular } in classes {
        to.line();
        fields.write(to);
        circular.write(to);
    }
    to.out.push(']');
}

fn read_classes(from: &mut Reader<'_>) -> Result<Vec<Class>, String> {
    let mut types = Vec::new();
    from.expect("classes")?;
    from.expect("[")?;
    while !from.skip("]") {
        let (id, name) = <(ClassId, String)>::read(from)?;
        let args = Text::read(from)?;
        let base = Option::<ClassId>::read(from)?;
        let base = base.and_then(|base| from.classes.get(&base).cloned());
        let mutable = Text::read(from)?;
        let class = Arc::new(ClassType { id, name, args, base, mutable });
        from.classes.insert(id, class.clone());
        types.push(class);
    }
    from.expect("fields")?;
    from.expect("[")?;
    let mut classes = Vec::new();
    for ty in types {
        classes.push(Class { ty, fields: Text::read(from)?, circular: Text::read(from)? });
    }
    from.expect("]")?;
    Ok(classes)
}

impl Text for Program {
    fn write(&self, to: &mut Writer) {
        let Program {
            functions,
            kernels,
            globals,
            initializer,
            main,
            exports,
            enums,
            classes,
            texts: _,
            function_values,
        } = self;
        to.open("Program");
        to.depth += 1;
        write_classes(classes, to);
        for (name, part) in [("initializer", initializer), ("main", main)] {
            to.word(name);
            part.write(to);
        }
        to.word("enums");
        enums.write(to);
        function_values.write(to);
        to.word("globals");
        globals.write(to);
        to.word("functions");
        functions.write(to);
        to.word("kernels");
        kernels.write(to);
        to.word("exports");
        exports.write(to);
        to.depth -= 1;
        to.close();
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        from.expect("(")?;
        from.expect("Program")?;
        let classes = read_classes(from)?;
        from.expect("initializer")?;
        let initializer = Text::read(from)?;
        from.expect("main")?;
        let main = Text::read(from)?;
        from.expect("enums")?;
        let enums = Text::read(from)?;
        let function_values = Text::read(from)?;
        from.expect("globals")?;
        let globals = Text::read(from)?;
        from.expect("functions")?;
        let functions = Text::read(from)?;
        from.expect("kernels")?;
        let kernels = Text::read(from)?;
        from.expect("exports")?;
        let exports = Text::read(from)?;
        from.expect(")")?;
        let texts = None;
        Ok(Program {
            functions,
            kernels,
            globals,
            initializer,
            main,
            exports,
            enums,
            classes,
            texts,
            function_values,
        })
    }
}
