//! Nests of random programs as they are often written: sizes in vectors as bounds, `continue` and `break`, recurrences that a condition
//! starts, several sums in one nest. Arrays are drawn from empty ones up to those that take several vectors.

use super::Generator;

/// Arrays that functions get and show, with whole numbers between -4 and 8 (from 0 on for bytes).
pub(super) struct Elements {
    /// The type of matrices.
    pub(super) matrix: &'static str,
    pub(super) vector: &'static str,
    pub(super) number: &'static str,
    /// Makes an array.
    pub(super) maker: &'static str,
}

pub(super) const INTEGERS: Elements =
    Elements { matrix: "imat", vector: "ivec", number: "int", maker: "zeros[int]" };

pub(super) const ELEMENTS: &[Elements] = &[
    Elements { matrix: "mat", vector: "vec", number: "scalar", maker: "zeros" },
    INTEGERS,
    Elements { matrix: "mat[uint8]", vector: "vec[uint8]", number: "uint8", maker: "zeros[uint8]" },
    Elements { matrix: "mat[int16]", vector: "vec[int16]", number: "int16", maker: "zeros[int16]" },
];

impl Elements {
    pub(super) fn is_small(&self) -> bool {
        self.number != "scalar" && self.number != "int"
    }

    pub(super) fn is_float(&self) -> bool {
        self.number == "scalar"
    }

    /// A value of an element.
    pub(super) fn value(&self, e: &str) -> String {
        if self.is_float() { e.to_string() } else { format!("{}({e})", self.number) }
    }
}

/// Bounds by sizes: what stands before the nest, and the number of rows and of columns.
const SIZES: &[(&str, &str, &str)] = &[
    ("sz = size(x)", "sz[0]", "sz[1]"),
    ("sz = size(x)", "sz[0]", "sz[1]"),
    ("sz = size(y)", "sz[0]", "sz[1]"),
    ("[M, N] = size(x)", "M", "N"),
    ("sz = size(x)\n    M = sz[0]\n    N = sz[1]", "M", "N"),
    ("sz = size(x)\n    [M, N] = sz", "M", "N"),
    ("sz = size(x) - 1", "sz[0]", "sz[1]"),
    ("sz = size(x)\n    sz = [sz[0], sz[1]-1]", "sz[0]", "sz[1]"),
    ("sz = size(x)\n    sz[1] = sz[1] - 1", "sz[0]", "sz[1]"),
    ("sz = size(x)\n    if w == 1\n        sz[1] = min(sz[1], 2)\n    endif", "sz[0]", "sz[1]"),
    ("sz = size(x)\n    if w == 1\n        sz = [min(sz[0], 1), sz[1]]\n    endif", "sz[0]", "sz[1]"),
    ("sz = size(x)\n    tz = sz\n    sz[0] = min(sz[0], 2)", "tz[0]", "tz[1]"),
    ("sz = size(x)\n    tz = copy(sz)\n    sz[0] = min(sz[0], 2)", "sz[0]", "tz[1]"),
    ("sz = w > 0 ? size(x) : size(y)", "sz[0]", "sz[1]"),
    ("N = size(x, 1)\n    M = w > 1 ? size(x, 0) : size(y, 0)", "M", "N"),
    ("", "dims[0]", "dims[1]"),
    ("", "dims[0]", "dims[1]"),
    ("dims = size(x)", "dims[0]", "dims[1]"),
    ("M = dims[0]\n    N = min(dims[1], size(x, 1))", "M", "N"),
    ("sz = dims", "sz[0]", "sz[1]"),
    ("dims[1] = min(dims[1], 7)", "dims[0]", "dims[1]"),
];

/// Statements between bounds of `H` rows and `W` columns.
const WITHIN: &[&str] = &[
    "y[m,n] = x[m,n]*2 + n",
    "y[m,n] += x[m,n]",
    "y[m,n] = x[H-1-m,n] - x[m,W-1-n]",
    "y[m,n] = x[mod(m+1,H),n] + m",
    "y[m,n] = x[m,min(n+1,W-1)] - x[max(m-1,0),n]",
    "y[H-1-m,n] = x[m,n]",
    "y[m,W-1-n] = x[m,n] + n",
    "y[m,n] = x[mod(m+w,H),mod(n+w,W)]",
    "s += x[m,n]",
    "s = max(s, x[m,n])",
    "y[m,0] += x[m,n]",
    "y[0,n] += x[m,n]",
    "y[m,n] = n < W-1 ? x[m,n+1] : x[m,n]",
    "if m > 0 && n < W-1\n            y[m,n] = x[m-1,n+1]\n        endif",
    "if x[m,n] > 2\n            y[m,n] = H - x[m,n]\n        endif",
    "for k = 0..min(W,9)-1\n            y[m,n] += x[m,k]*(k+1)\n        endfor",
    "y[[m,n]] = x[[m,n]] + 1",
    "pos = [m,n]\n        y[pos] = x[pos] - W",
];

/// What an iteration does in loops with jumps. Columns are from 1 on, rows too.
const STEPS: &[&str] = &[
    "y[m,n] = mod(y[m,n] + x[m,n], 97)",
    "y[m,n] = x[m,n] + v",
    "y[m,n] = mod(y[m,n-1] + s, 97)",
    "y[m-1,n] += x[m,n]",
    "z[m] += x[m,n]",
    "z[m] = mod(z[m]*2 + v, 89)",
    "s += x[m,n]",
    "s = mod(s*2 + x[m,n], 53)",
    "s += 1",
    "c = max(c, x[m,n])",
    "v = x[m,n-1]",
    "v = x[m,n] - w",
    "y[m,n] = s",
    "x[m,n] = mod(x[m,n] + v, 17)",
];

const TESTS: &[&str] = &[
    "x[m,n] < 2",
    "x[m,n] > 5",
    "n == 3",
    "m == n",
    "v > 3",
    "n < w",
    "x[m,n-1] == x[m,n]",
    "s > 40",
    "y[m,n] > 9",
    "mod(n, 3) == 1",
    "w == 1",
    "x[m-1,n] > x[m,n] && n > 2",
    "c > 7 || n == 2",
];

/// Recurrences along rows: `A` is the element before.
const RECURRENCES: &[&str] = &[
    "y[m,n] = x[m,n] + (G ? a*A : 0.0)",
    "y[m,n] = x[m,n] + (G ? A : 0)",
    "y[m,n] = G ? x[m,n] - A : x[m,n]",
    "if G\n            y[m,n] = x[m,n] + a*A\n        else\n            y[m,n] = x[m,n]\n        endif",
    "if G\n            y[m,n] = min(A + 1, x[m,n])\n        endif",
    "y[m,n] = x[m,n]\n        if G\n            y[m,n] += A\n        endif",
    "p = G ? A : 0\n        y[m,n] = x[m,n] + a*p",
    "p = 3\n        if G\n            p = A\n        endif\n        y[m,n] = max(x[m,n], p - 1)",
    "y[m,n] = mod(x[m,n] + (G ? 2*A : w), 97)",
    "y[m,n] += G ? a*A : 1.0",
    "x[m,n] += G ? a*B : 0",
    "if G\n            x[m,n] = x[m,n] + B\n        endif",
    "y[m,n] = x[m,n] + (G ? A : 0) - (F ? E : 0)",
    "y[m,n] = x[m,n] + (G ? A - (F ? E : 1) : 0)",
    "if !(G)\n            y[m,n] = w\n            continue\n        endif\n        y[m,n] = A + x[m,n]",
    "s = G ? s + A : x[m,n]\n        y[m,n] = mod(s, 61)",
    "y[m,n] = x[m,n] + (G && A > 2 ? A - 1 : 0)",
];

/// Sums that an iteration over `i` and `j` adds to.
const SUMS: &[&str] = &[
    "s[j] += r[i]*a[i,j]",
    "q[i] += a[i,j]*p[j]",
    "s[j] += a[i,j]",
    "q[i] -= a[i,j]*2",
    "t += a[i,j]",
    "s[j] += p[j]",
    "q[i] += r[i]*p[j]",
    "h[mod(i,3)] += a[i,j]",
    "s[j] = max(s[j], a[i,j])",
    "q[i] = min(q[i], a[i,j])",
    "t = max(t, a[i,j])",
    "b[i,j] = a[i,j]*2 + r[i]",
    "b[i,j] += p[j]",
    "q[i] = mod(q[i] + s[j], 29)",
    "s[j] = mod(s[j] - q[i], 31)",
    "p[j] += r[i]",
    "if a[i,j] > 2\n            s[j] += 1\n        endif",
    "if a[i,j] < p[j]\n            q[i] += a[i,j]\n        endif",
    "d = a[i,j] - r[i]\n        s[j] += d\n        q[i] += d*d",
];

/// Windows of `x`, weighted.
const WINDOWS: &[&str] = &[
    "y[m,n] = sum(w .* x[m-1..m+1,n-1..n+1])",
    "y[m,n] = sum(w .* x[m-1..m+1,n-1..n+1]) + x[m,n]",
    "y[m,n] += sum(x[m-1..m+1,n-1..n+1] .* w)",
    "y[m,n] = sum(x[m-1..m+1,n])*2",
    "y[m,n] = sum(x[m,n-1..n+1])",
    "y[m,n] = max(x[m-1..m+1,n-1..n+1]) + 0",
    "y[m,n] = sum(abs(x[m-1..m+1,n-1..n+1] - x[m,n]))",
    "y[m,n] = sum(w .* x[m+1..-1..m-1,n-1..n+1])",
    "y[m,n] = sum(transpose(w) .* x[m-1..m+1,n-1..n+1])",
    "v = x[m-1..m+1,n-1..n+1]\n        y[m,n] = sum(v .* w) - min(v)",
    "y[m,n] = sum(w[0,:] .* x[m,n-1..n+1])",
    "x[m,n] = mod(sum(w .* x[m-1..m+1,n-1..n+1]), 9)",
];

impl Generator {
    pub(super) fn elements(&mut self, small: bool) -> &'static Elements {
        &ELEMENTS[self.random.below(if small { ELEMENTS.len() } else { 2 })]
    }

    /// Rows and columns of an array: none, few, or more than a vector has lanes in one direction.
    pub(super) fn extents(&mut self) -> [i64; 2] {
        let few = *self.random.pick(&[0, 1, 2, 2, 3, 4, 5, 6, 9]);
        let many = *self.random.pick(&[0, 1, 2, 3, 5, 5, 16, 40, 40, 131, 131, 300]);
        if self.random.chance(70) { [few, many] } else { [many, few] }
    }

    /// The name of a function that makes such an array.
    pub(super) fn maker_of(&mut self, elements: &Elements) -> String {
        let name = format!("filled_{}", elements.number);
        let low = if elements.number == "uint8" { 0 } else { 4 };
        if !self.definitions.contains(&format!("{name}(")) {
            let value = elements.value(&format!("mod(a*m*m + b*n + m*n, 13) - {low}"));
            self.define(&format!(
                "function x : {} = {name}(M : int, N : int, a : int, b : int)\n    x = {}(M, N)\n    for m = 0..M-1\n        \
                 for n = 0..N-1\n            x[m,n] = {value}\n        endfor\n    endfor\nendfunction",
                elements.matrix, elements.maker
            ));
        }
        name
    }

    /// The name of a function that shows an array: all elements of a small one, and a number that depends on each.
    pub(super) fn shower_of(&mut self, elements: &Elements) -> String {
        let name = format!("show_{}", elements.number);
        if !self.definitions.contains(&format!("{name}(")) {
            let value = if elements.is_float() { "int(floor(8*mod(x[m,n], 1024)))" } else { "int(x[m,n])" };
            self.define(&format!(
                "function [] = {name}(x : {})\n    s = 0\n    {{!interpreted for}}\n    for m = 0..size(x,0)-1\n        \
                 for n = 0..size(x,1)-1\n            s = mod(31*s + {value}, 65521)\n        endfor\n    endfor\n    print s\n    \
                 if numel(x) < 60\n        print x + {}\n    endif\nendfunction",
                elements.matrix,
                elements.value("0")
            ));
        }
        name
    }

    /// An array for a call.
    pub(super) fn made(&mut self, elements: &Elements, [rows, columns]: [i64; 2]) -> String {
        let maker = self.maker_of(elements);
        let (a, b) = (self.random.between(1, 7), self.random.between(1, 7));
        format!("{maker}({rows}, {columns}, {a}, {b})")
    }

    /// Calls of what may fail.
    pub(super) fn trying(&mut self, lines: &[String]) {
        self.open("try");
        for line in lines {
            self.line(line);
        }
        self.close("catch ex");
        self.indent += 1;
        self.line("print \"caught\"");
        self.close("endtry");
    }

    fn mode_of_reads(&mut self) -> &'static str {
        self.random.pick::<&str>(&["", "", "", "'safe", "'mirror", "'circular", "'clamped", "'checked"])
    }

    /// Loops whose bounds are elements of a vector of sizes.
    pub(super) fn sizes_as_bounds(&mut self) {
        self.note("size vector as a bound");
        let (name, elements) = (self.name("sized"), self.elements(false));
        let (before, high, wide) = *self.random.pick(SIZES);
        let mut body = String::new();
        for _ in 0..1 + self.random.below(2) {
            let statement = self.random.pick::<&str>(WITHIN).replace('H', high).replace('W', wide);
            body += &format!("        {statement}\n");
        }
        let (rows, columns) = (format!("for m = 0..{high}-1"), format!("for n = 0..{wide}-1"));
        let columns = match self.random.below(8) {
            0 => format!("for n = {wide}-1..-1..0"),
            1 => format!("for n = 0..2..{wide}-1"),
            _ => columns,
        };
        let (outer, inner) = if self.random.chance(15) { (columns, rows) } else { (rows, columns) };
        let between = *self.random.pick(&["", "", "", "", "    sz = size(x)\n", "    sz = size(y)\n"]);
        let between = if before.contains("sz = ") { between } else { "" };
        // The vector of sizes may be a field of an object that the loop changes.
        let (class, o) = (self.name("Holder"), self.name("o"));
        let shared = self.random.chance(15);
        let change = if shared { "    o.dims[1] = max(o.dims[1]-1, 0)\n" } else { "" };
        let parameter = if shared { format!(", o : {class}") } else { String::new() };
        let mode = self.mode_of_reads();
        let (matrix, maker) = (elements.matrix, elements.maker);
        self.define(&format!(
            "function y : {matrix} = {name}(x : {matrix}{mode}, dims : ivec2, w : int{parameter})\n    y = {maker}(size(x))\n    s = 0\n    {before}\n    \
             {outer}\n    {between}    {inner}\n{body}    endfor\n{change}    endfor\n    print s + 0\nendfunction"
        ));
        let [rows, columns] = self.extents();
        let (x, show, w) =
            (self.made(elements, [rows, columns]), self.shower_of(elements), self.random.below(3));
        let more = i64::from(self.random.chance(10));
        let dims = match self.random.below(3) {
            0 => format!("[{}, {columns}]", (rows - 1).max(0) + more),
            1 => format!("[{rows}, {}]", (columns - 2).max(0)),
            _ => format!("[{rows}, {columns}]"),
        };
        if shared {
            self.note("size vector of an object");
            self.define(&format!("type {class} : mutable class\n    dims : ivec2\nendtype"));
            self.trying(&[
                format!("{o} = {class}(dims:={dims})"),
                format!("{show}({name}({x}, {o}.dims, {w}, {o}))"),
            ]);
            return;
        }
        self.trying(&[format!("{show}({name}({x}, {dims}, {w}))")]);
    }

    fn step_with_jumps(&mut self) -> &'static str {
        self.random.pick::<&str>(STEPS)
    }

    /// Statements of an iteration, with jumps at the end of branches.
    fn jumping(&mut self, depth: usize, indent: &str) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.random.below(3) {
            let step = self.step_with_jumps();
            text += &format!("{indent}{step}\n");
            if depth > 0 && self.random.chance(60) {
                text += &self.branch_with_jump(depth - 1, indent);
            }
        }
        text
    }

    fn branch_with_jump(&mut self, depth: usize, indent: &str) -> String {
        let test = *self.random.pick(TESTS);
        let inner = format!("{indent}    ");
        let jump = match self.random.below(10) {
            0 | 1 => "break",
            2 => "s += 2",
            _ => "continue",
        };
        let jump = format!("{inner}{jump}\n");
        let mut before = String::new();
        if self.random.chance(50) {
            before = self.jumping(depth, &inner);
        }
        let mut other = String::new();
        if self.random.chance(40) {
            other = self.jumping(depth, &inner);
        }
        match self.random.below(6) {
            0 => format!(
                "{indent}if {test}\n{before}{inner}s -= 1\n{indent}else\n{other}{jump}{indent}endif\n"
            ),
            1 => {
                let test = *self.random.pick(TESTS);
                format!("{indent}if {test}\n{jump}{indent}elseif {test}\n{before}{jump}{indent}endif\n")
            }
            2 => format!(
                "{indent}if {test}\n{before}{jump}{indent}else\n{other}{inner}s += 1\n{indent}endif\n"
            ),
            3 => {
                let test = *self.random.pick(TESTS);
                format!(
                    "{indent}if {test}\n{inner}if {test}\n    {jump}{inner}endif\n{before}{indent}endif\n"
                )
            }
            _ => format!("{indent}if {test}\n{before}{jump}{indent}endif\n"),
        }
    }

    /// Inner loops whose iterations end early, or which end early themselves.
    pub(super) fn loop_with_jumps(&mut self) {
        self.note("loop with jumps");
        let (name, elements) = (self.name("jumps"), self.elements(false));
        let mut body = self.branch_with_jump(1, "            ");
        body += &self.jumping(1, "            ");
        if self.random.chance(30) {
            body = format!("            {}\n{body}", self.step_with_jumps());
        }
        let resets =
            *self.random.pick(&["", "        s = 0\n", "        v = 0\n", "        [s, c, v] = [0, 0, 0]\n"]);
        let after = *self.random.pick(&[
            "",
            "",
            "        z[m] += s\n",
            "        y[m,0] = s + c\n",
            "        c = 0\n",
        ]);
        let rows = *self.random.pick(&["1..M-1", "1..M-1", "M-1..-1..1"]);
        let columns = *self.random.pick(&["1..N-1", "1..N-1", "1..2..N-1", "N-1..-1..1", "1..N-2"]);
        let skipped = if self.random.chance(15) {
            "        if x[m,0] == 3\n            continue\n        endif\n"
        } else {
            ""
        };
        let (matrix, vector, maker) = (elements.matrix, elements.vector, elements.maker);
        self.define(&format!(
            "function [y : {matrix}, z : {vector}] = {name}(x : {matrix}, w : int)\n    [M, N] = size(x)\n    y = {maker}(M, N)\n    z = {maker}(M)\n    \
             [s, c, v] = [0, 1, 2]\n    for m = {rows}\n{skipped}{resets}        for n = {columns}\n{body}        endfor\n{after}    endfor\n    \
             print s, \" \", c + 0, \" \", v\nendfunction"
        ));
        let dims = self.extents();
        let (x, y, z) = (self.name("X"), self.name("Y"), self.name("Z"));
        let (value, show, w) = (self.made(elements, dims), self.shower_of(elements), self.random.below(4));
        self.trying(&[
            format!("{x} = {value}"),
            format!("[{y}, {z}] = {name}({x}, {w})"),
            format!("{show}({y})"),
            format!("{show}({x})"),
            format!("print sum({z}), \" \", sum(mod({z} .* (1..{}), 31))", dims[0]),
        ]);
    }

    /// Recurrences along rows or columns whose first elements a condition gives.
    pub(super) fn guarded_recurrence(&mut self) {
        self.note("guarded recurrence");
        let (name, elements) = (self.name("filter"), self.elements(false));
        let (far, columns) = (*self.random.pick(&[1, 1, 1, 2, 3]), self.random.chance(30));
        let backwards = self.random.chance(30);
        let (i, last) = if columns { ("m", "M") } else { ("n", "N") };
        let place = |k: i64| match (backwards, columns) {
            (false, false) => format!("[m,n-{k}]"),
            (false, true) => format!("[m-{k},n]"),
            (true, false) => format!("[m,n+{k}]"),
            (true, true) => format!("[m+{k},n]"),
        };
        let guard = |k: i64| match backwards {
            false => format!("{i} > {}", k - 1),
            true => format!("{i} < {last}-{k}"),
        };
        let guarded = match (self.random.below(8), backwards) {
            (0, false) => format!("{i} >= {far}"),
            (1, false) if far == 1 => format!("{i} != 0"),
            (2, false) => format!("{i} > {} && w < 2", far - 1),
            (3, false) => format!("{i} > w"),
            (4, _) => format!("m > 0 && {}", guard(far)),
            (5, false) => format!("{i}-{far} >= 0"),
            _ => guard(far),
        };
        let mut body = String::new();
        for _ in 0..1 + usize::from(self.random.chance(25)) {
            let statement = self.random.pick::<&str>(RECURRENCES);
            let statement = statement
                .replace('A', &format!("y{}", place(far)))
                .replace('B', &format!("x{}", place(far)))
                .replace('E', &format!("y{}", place(far + 1)))
                .replace('F', &guard(far + 1))
                .replace('G', &guarded);
            body += &format!("        {statement}\n");
        }
        let step = *self.random.pick(&["", "", "", "2.."]);
        let along = match (backwards, step.is_empty()) {
            (false, _) => format!("{i} = 0..{step}{last}-1"),
            (true, true) => format!("{i} = {last}-1..-1..0"),
            (true, false) => format!("{i} = {last}-1..-2..0"),
        };
        let across = if columns { "n = 0..N-1" } else { "m = 0..M-1" };
        let (outer, inner) =
            if self.random.chance(35) { (along.as_str(), across) } else { (across, along.as_str()) };
        let mode = *self.random.pick(&["", "", "", "'safe", "'checked", "'mirror"]);
        let zero = if self.random.chance(15) { "    {!serial for}\n" } else { "" };
        let (matrix, maker) = (elements.matrix, elements.maker);
        self.define(&format!(
            "function y : {matrix} = {name}(x : {matrix}{mode}, a : {}, w : int)\n    [M, N] = size(x)\n    y = {maker}(M, N)\n    s = 0\n{zero}    \
             for {outer}\n    for {inner}\n{body}    endfor\n    endfor\nendfunction",
            elements.number
        ));
        let (dims, w) = (self.extents(), self.random.below(3));
        let (x, y) = (self.name("X"), self.name("Y"));
        let (value, show) = (self.made(elements, dims), self.shower_of(elements));
        let a = elements.value(self.random.pick::<&str>(&["1", "-1", "1", "0"]));
        self.trying(&[
            format!("{x} = {value}"),
            format!("{y} = {name}({x}, {a}, {w})"),
            format!("{show}({y})"),
            format!("{show}({x})"),
        ]);
    }

    /// A nest that adds to elements of different loops.
    pub(super) fn sums_of_two_loops(&mut self) {
        self.note("sums of two loops");
        let (name, elements) = (self.name("sums"), self.elements(false));
        let mut body = String::new();
        for _ in 0..2 + self.random.below(3) {
            body += &format!("        {}\n", self.random.pick::<&str>(SUMS));
        }
        let (rows, columns) = ("i = 0..size(a,0)-1", "j = 0..size(a,1)-1");
        let columns = *self.random.pick(&[
            columns,
            columns,
            columns,
            "j = 0..min(i,size(a,1)-1)",
            "j = 1..2..size(a,1)-1",
        ]);
        let turned = self.random.chance(25) && !columns.contains("min(i");
        let (outer, inner) = if turned { (columns, rows) } else { (rows, columns) };
        let (matrix, vector, maker) = (elements.matrix, elements.vector, elements.maker);
        self.define(&format!(
            "function [] = {name}(a : {matrix}, r : {vector}, p : {vector}, s : {vector}, q : {vector})\n    b = {maker}(size(a))\n    h = {maker}(3)\n    t = {}\n    \
             for {outer}\n    for {inner}\n{body}    endfor\n    endfor\n    print t + 0, \" \", h, \" \", sum(mod(b, 101))\n    \
             print sum(mod(s, 101)), \" \", sum(mod(q, 101)), \" \", sum(mod(p, 101)), \" \", sum(mod(s, 101) .* (1..numel(s)))\nendfunction",
            elements.value("0")
        ));
        let dims = self.extents();
        let [a, r, p, s, q] = ["A", "R", "P", "S", "Q"].map(|stem| self.name(stem));
        let value = self.made(elements, dims);
        let integers = if elements.is_float() { "" } else { "int" };
        let vector = |of: &str, n: i64, f: i64| format!("{of} = {integers}(mod((1..{n})*{f}, 7) - 2)");
        let (f, g) = (self.random.between(1, 6), self.random.between(1, 6));
        let aliased = if self.random.chance(10) && dims[0] == dims[1] { &s } else { &q };
        self.trying(&[
            format!("{a} = {value}"),
            vector(&r, dims[0], f),
            vector(&p, dims[1], g),
            vector(&s, dims[1], g),
            vector(&q, dims[0], f),
            format!("{name}({a}, {r}, {p}, {s}, {aliased})"),
            format!("print sum(mod({s}, 97)), \" \", sum(mod({q}, 97))"),
        ]);
    }

    /// Windows of an array with weights of unknown size.
    pub(super) fn weighted_windows(&mut self) {
        self.note("weighted window");
        let (name, elements) = (self.name("weighted"), self.elements(false));
        let mut body = String::new();
        for _ in 0..1 + usize::from(self.random.chance(30)) {
            body += &format!("        {}\n", self.random.pick::<&str>(WINDOWS));
        }
        let mode = self.mode_of_reads();
        let (rows, columns) = *self.random.pick(&[
            ("1..size(x,0)-2", "1..size(x,1)-2"),
            ("1..size(x,0)-2", "1..size(x,1)-2"),
            ("0..size(x,0)-1", "0..size(x,1)-1"),
            ("sz[0]-2..-1..1", "1..sz[1]-2"),
        ]);
        let (matrix, maker) = (elements.matrix, elements.maker);
        self.define(&format!(
            "function y : {matrix} = {name}(x : {matrix}{mode}, w : {matrix})\n    sz = size(x)\n    y = {maker}(sz)\n    for m = {rows}\n    \
             for n = {columns}\n{body}    endfor\n    endfor\nendfunction"
        ));
        let dims = self.extents();
        let size = *self.random.pick(&[[3, 3], [3, 3], [3, 3], [3, 3], [3, 2], [5, 5]]);
        let (value, weights) = (self.made(elements, dims), self.made(elements, size));
        let (x, show) = (self.name("X"), self.shower_of(elements));
        self.trying(&[
            format!("{x} = {value}"),
            format!("{show}({name}({x}, {weights}))"),
            format!("{show}({x})"),
        ]);
    }
}
