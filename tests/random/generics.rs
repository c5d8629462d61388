//! Generic functions and kernels of random programs, for types and sizes; constants and variables of the module.

use super::kernels::list;
use super::{Generator, Kind, type_name};

impl Generator {
    pub(super) fn generic_function(&mut self) {
        let Some(array) = self.some_array(None) else { return };
        let (name, result, kind) = (self.name("gen"), self.name("t"), array.kind);
        match self.random.below(3) {
            0 => {
                self.note("function without types");
                self.define(&format!(
                    "function y = {name}(x, k)\n    y = k > 3 ? x[0] + k : x[0] - x[0]\nendfunction"
                ));
                let element = self.literal(kind);
                let k = self.random.between(0, 9);
                self.line(format!("{result} = {name}([{element}, 2], {k})"));
                self.line(format!("print {name}([0.5], 2.5), {name}([2], 7)"));
            }
            1 => {
                self.note("type parameters");
                let container = if array.dims.len() == 1 { "vec" } else { "mat" };
                self.define(&format!(
                    "function [total : T, top : T] = {name}[T](x : {container}[T], start : T)\n    total = start\n    \
                     top = minvalue(T)\n    for v = reshape(x, numel(x))\n        total = total + v\n        \
                     top = max(top, v)\n    endfor\nendfunction"
                ));
                let (start, top) = (self.leaf(kind), self.name("t"));
                let start = format!("cast({start}, {})", type_name(kind));
                self.line(format!("[{result}, {top}] = {name}({}, {start})", array.name));
                self.bound(&top, kind);
                self.scalars.push((top, kind));
            }
            _ => {
                self.note("function of a type");
                self.define(&format!(
                    "function y = {name}[T](n : int)\n    y = zeros[T](n)\n    for k = 0..n-1\n        \
                     y[k] = cast(k, T) - cast(1, T)\n    endfor\nendfunction"
                ));
                let count = self.random.between(1, 6);
                let other = *self.random.pick(&["int8", "uint8'sat", "scalar'double", "int64"]);
                self.line(format!("print {name}[{other}]({count})"));
                self.line(format!("{result} = sum({name}[{}]({count}))", type_name(kind)));
            }
        }
        self.bound(&result, kind);
        self.scalars.push((result, kind));
    }

    /// Functions and kernels for arrays of sizes that are parameters.
    pub(super) fn size_parameters(&mut self) {
        let (reach, result) = (self.random.between(0, 2), self.name("t"));
        let weights = self.list_of(Kind::Float, 2 * reach as usize + 1);
        let fitting = self.some_array(Some(Kind::Float)).filter(|array| array.dims.len() == 1);
        match fitting {
            Some(array) => {
                self.note("kernel with size parameters");
                let kernel = self.name("weigh");
                let mode = *self.random.pick(&["'mirror", "'circular", "'clamped", "'safe"]);
                self.define(&format!(
                    "function [] = __kernel__ {kernel}[N](src : vec{mode}, w : vec(2*N+1), dst : vec, pos : int)\n    \
                     own = w\n    t = 0.0\n    for k = -N..N\n        t += own[k + N]*src[pos + k]\n    endfor\n    \
                     dst[pos] = floor(8*min(max(t, -60.0), 60.0))/8 + N\nendfunction"
                ));
                let dst = self.output(Kind::Float, &array.dims);
                self.line(format!(
                    "parallel_do({}, {}, [{weights}], {}, {kernel})",
                    list(&array.dims),
                    array.name,
                    dst.name
                ));
                self.line(format!("{result} = max({})", dst.name));
                self.arrays.push(dst);
            }
            None => {
                self.note("function with size parameters");
                let middle = self.name("middle");
                self.define(&format!(
                    "function y = {middle}[N : int](x : vec(2*N+1))\n    y = x[N]*(N + 1)\nendfunction\n\
                     function y = {middle}_of[M, N](A : mat(M,N))\n    y = A[M-1,0] - A[0,N-1]*N\nendfunction"
                ));
                let (a, b) = (self.list_of(Kind::Float, 3), self.list_of(Kind::Float, 3));
                self.line(format!("{result} = {middle}([{weights}]) - {middle}_of([[{a}], [{b}]])"));
            }
        }
        self.bound(&result, Kind::Float);
        self.scalars.push((result, Kind::Float));
    }

    /// A constant of the module that decides branches and sizes, and a variable that functions read.
    pub(super) fn module_variables(&mut self) {
        self.note("variables of the module");
        let (constant, variable, read, result) =
            (self.name("SIZE"), self.name("level"), self.name("read"), self.name("t"));
        let (size, level) = (self.random.between(1, 6), self.literal(Kind::Float));
        self.define_first(&format!("{constant} : 'const = {size}\n{variable} = {level}"));
        let known = [("x", Kind::Float), (variable.as_str(), Kind::Float), (constant.as_str(), Kind::Int)];
        let value = self.closed_expr(&known, Kind::Float, 2);
        self.define(&format!(
            "function y : scalar = {read}(x : scalar)\n    if {constant} > 3\n        y = {value}\n    else\n        \
             y = x - {variable}\n    endif\nendfunction"
        ));
        let argument = self.leaf(Kind::Float);
        self.line(format!("{result} = {read}({argument}) - {variable}"));
        self.bound(&result, Kind::Float);
        self.scalars.push((result, Kind::Float));
        let array = self.name("M");
        self.line(format!("{array} = zeros[int]({constant}, 2)"));
        let k = self.name("k");
        self.open(format!("for {k} = 0..{constant}-1"));
        self.line(format!("{array}[{k}, mod({k}, 2)] = {k} + {constant}"));
        self.close("endfor");
        self.arrays.push(super::Array { name: array, kind: Kind::Int, dims: vec![size, 2], mode: None });
    }
}
