//! Random programs that change arrays in place: elements of a row by those of other rows, two places of one row by each other, sums
//! that stay in an element, stores to slices. Loops may do it, or threads of a launch where none writes what another one reads.

use super::Generator;
use super::nests::Elements;

/// Changes of an element of a matrix: `P` is its index, `U`, `L`, `R` those of a row before it, `O` any row, `F` farther in the row.
const CHANGES: &[&str] = &[
    "c[P] += min(c[U], c[L])",
    "c[P] = max(c[U], max(c[L], c[R]))",
    "c[P] = c[R]",
    "c[P] = c[L]",
    "c[P] += c[U]",
    "c[P] = c[U]*2 - c[L]",
    "c[P] -= c[R]",
    "c[P] = c[P] + c[O]",
    "c[O] = c[P]",
    "c[O] += c[U]",
    "c[P] = c[F]",
    "c[F] = c[P] + 1",
    "c[F] += c[U]",
    "c[U] = c[P] - 1",
    "c[L] += c[P]",
    "a = c[P]\n        c[P] = c[U]\n        c[U] = a",
    "a = c[P]\n        b = c[F]\n        c[P] = a + b\n        c[F] = a - b",
    "a = c[P]\n        c[P] = c[F]\n        c[F] = a",
    "[c[P], c[F]] = [c[F], c[P]]",
    "if c[U] > 2\n            c[P] = c[L]\n        endif",
    "if c[L] > c[R]\n            c[P] = c[L]\n        else\n            c[P] -= c[U]\n        endif",
    "if c[P] < 3\n            c[P] = c[U]\n        else\n            c[F] = c[R]\n        endif",
    "if c[U] == 1\n            continue\n        endif\n        c[P] = c[U] + c[P]",
    "c[P] = c[U] > c[P] ? c[L] : c[R]",
    "c[P] = d[P] + c[U]",
    "d[P] = c[U] + c[P]\n        c[P] = d[P]",
    "c[P] = mod(c[P]*3 + c[L], 17)",
    "s += c[U]\n        c[P] = mod(s, 23)",
    "s = max(s, c[P])\n        c[P] = c[U]",
    "for k = 0..2\n            c[P] += c[O]\n        endfor",
    "for k = 0..w\n            c[P] = max(c[P], c[k,n])\n        endfor",
];

/// Changes of small integers, which stay small.
const SMALL: &[&str] = &[
    "c[P] = max(c[P], c[L])",
    "c[P] = c[U]",
    "c[P] = min(c[U], max(c[L], c[R]))",
    "c[O] = c[P]",
    "c[F] = c[L]",
    "a = c[P]\n        c[P] = c[F]\n        c[F] = a",
    "if c[U] > 2\n            c[P] = c[L]\n        endif",
    "if c[P] < c[R]\n            c[P] = c[U]\n        else\n            c[P] = 1\n        endif",
    "c[P] = d[P]",
    "c[P] = mod(int(c[P]) + int(c[U]), 11)",
    "c[P] = c[P] > c[L] ? c[U] : c[F]",
];

/// Sums in elements of a matrix `y` over `k`.
const KEPT: &[&str] = &[
    "y[i,j] += a[k,i]*y[k,j]",
    "y[i,j] -= a[i,k]*y[k,j]",
    "y[i,j] -= y[i,k]*y[j,k]",
    "y[i,j] += y[i,k]*a[k,j]",
    "y[j,i] += a[k,i]*y[k,i]",
    "y[i,j] += y[k,j]",
    "y[i,j] += y[k,k]",
    "y[i,j] = max(y[i,j], y[k,j])",
    "y[i,j] = y[i,j] - a[k,j]",
    "y[i,j] += a[k,i]*y[i,k]",
    "y[j,i] -= y[k,i]*y[j,k]",
    "y[i,j] += y[k,j+1]*a[k,i]",
    "y[i,j] += y[k+1,j]",
    "v[i] -= a[i,k]*v[k]",
    "v[i] += a[k,i]*v[k]",
    "v[j] += y[i,k]*v[i]",
    "y[i,j] = y[i,j]*2 + y[k,j]",
    "y[k,j] += a[k,i]*y[i,j]",
    "y[k,j] -= y[i,j]",
    "s += y[k,j]*a[k,i]",
    "y[i,j] += a[k,i]*y[k,j]\n            v[j] += y[k,j]",
    "if a[k,i] > 2\n                y[i,j] += y[k,j]\n            endif",
];

/// Ranges of `k` beside `i` and `j`.
const RANGES: &[&str] = &[
    "i+1..M-1",
    "i+1..M-1",
    "0..i-1",
    "0..i-1",
    "0..i",
    "i..M-1",
    "0..M-1",
    "j+1..M-1",
    "0..j-1",
    "0..j",
    "j..M-1",
    "M-1..-1..i+1",
    "i-1..-1..0",
    "i+1..2..M-1",
    "i+2..M-1",
    "0..i-2",
    "w..i-1",
    "0..w",
    "i+w..M-1",
    "0..min(i,j)-1",
    "0..min(i,j)",
    "i..i",
    "i-1..i+1",
];

/// Stores to slices of `x` by rows, columns and parts of others.
const SLICES: &[&str] = &[
    "x[0,:] = t",
    "x[w,:] = t",
    "x[:,0] = u",
    "x[:,N-1] = u",
    "x[:,w] = z[:,0]",
    "x[M-1,:] = z[0,:]",
    "x[w,:] += t",
    "x[:,w] -= u",
    "x[1,:] = x[0,:]",
    "x[:,0] = x[:,N-1]",
    "x[w,N-1..-1..0] = t",
    "x[0,:] = t[N-1..-1..0]",
    "x[M-1..-1..0,w] = u[M-1..-1..0]",
    "x[0,0..2..N-1] = t[0..int((N-1)/2)]",
    "x[0,N-1..-2..0] = x[M-1,0..int((N-1)/2)]",
    "t[1..N-1] = t[0..N-2]",
    "t[0..N-2] = t[1..N-1]",
    "t[N-1..-1..0] = t",
    "t[w..2..N-1] = t[w..2..N-1] + 1",
    "t = x[w,:]",
    "u = x[:,w]",
    "x[0..M-2,:] = x[1..M-1,:]",
    "x[1..M-1,:] = x[0..M-2,:]",
    "x[:,1..N-1] = x[:,0..N-2]",
    "x[M-1..-1..0,:] = x",
    "x[:,N-1..-1..0] = x[:,0..N-1]",
    "x[0,:] = 5",
    "x[w..M-1,w..N-1] = 3",
    "x[0,:] = i[0,:]",
    "x[:,0] = i[:,w]",
    "i[0,:] = int(x[0,:])",
    "x[0,1..2] = [7,8]",
    "x[w,:] = max(x[0,:], t) + 0",
    "x[0,:] = x[w,:] .* 2 - t",
    "t[:] = x[0,:]",
    "x[:,:] = z[:,:]",
    "x = x[:,N-1..-1..0]",
    "for m = 0..M-1\n        x[m,:] = z[m,:] + m\n    endfor",
    "for m = 1..M-1\n        x[m,:] = x[m-1,:] + z[m,:]\n    endfor",
    "for n = 0..N-1\n        x[:,n] = u + n\n    endfor",
    "for n = 1..N-1\n        x[:,n] = x[:,n-1]\n    endfor",
    "for m = 0..M-1\n        x[m,N-1..-1..0] = x[m,:]\n    endfor",
    "for m = 0..M-1\n        if u[m] > 2\n            x[m,:] = t\n        endif\n    endfor",
    "for m = 0..M-1\n        x[m,0..2..N-1] = z[m,N-1..-2..0]\n    endfor",
    "for m = 0..M-1\n        x[m,:] = i[m,:]\n    endfor",
    "for m = 0..M-2\n        x[m..m+1,:] = x[m+1..-1..m,:]\n    endfor",
    "for m = 0..M-1\n        x[m,w..N-1] += x[m,0..N-1-w]\n    endfor",
];

/// Stores to a matrix of small integers or to one of bytes.
const OTHER_SLICES: &[&str] = &[
    "b[0,:] = b[1,:]",
    "b[:,w] = b[:,0]",
    "b[w,N-1..-1..0] = b[0,:]",
    "b[0,:] = 7",
    "b[0..M-2,:] = b[1..M-1,:]",
    "for m = 1..M-1\n        b[m,:] = b[m-1,:]\n    endfor",
    "x[0,:] = b[w,:]",
    "x[:,N-1] = b[:,0]",
    "b[:,0] = uint8(mod(i[:,0], 9))",
];

impl Generator {
    fn change(&mut self, from: &[&str], back: bool, turned: bool) -> String {
        let row = if back { "+1" } else { "-1" };
        let places: [(&str, String); 6] = if turned {
            let other = *self.random.pick(&["m,0", "m,w", "m,N-1"]);
            let far = *self.random.pick(&["m+h,n", "M-1-m,n", "m+w,n"]);
            [
                ("P", "m,n".into()),
                ("U", format!("m,n{row}")),
                ("L", format!("m-1,n{row}")),
                ("R", format!("m+1,n{row}")),
                ("O", other.into()),
                ("F", far.into()),
            ]
        } else {
            let other = *self.random.pick(&["0,n", "w,n", "M-1,n", "0,n+1"]);
            let far = *self.random.pick(&["m,n+h", "m,N-1-n", "m,n+w"]);
            [
                ("P", "m,n".into()),
                ("U", format!("m{row},n")),
                ("L", format!("m{row},n-1")),
                ("R", format!("m{row},n+1")),
                ("O", other.into()),
                ("F", far.into()),
            ]
        };
        let mut change = self.random.pick::<&str>(from).to_string();
        for (letter, place) in places {
            change = change.replace(&format!("[{letter}]"), &format!("[{place}]"));
        }
        if turned { change.replace("c[k,n]", "c[m,k]") } else { change }
    }

    /// Nests that change a matrix by other elements of it.
    pub(super) fn update_in_place(&mut self) {
        self.note("update in place");
        let (name, elements) = (self.name("updated"), self.elements(true));
        let mode = *self.random.pick(&["", "", "", "'safe", "'mirror", "'circular", "'clamped", "'checked"]);
        let dims = self.extents();
        let mut nests = String::new();
        for _ in 0..1 + usize::from(self.random.chance(30)) {
            nests += &self.update_nest(elements, mode, dims);
        }
        let matrix = elements.matrix;
        self.define(&format!(
            "function [] = {name}(c : {matrix}{mode}, d : {matrix}, w : int)\n    [M, N] = size(c)\n    s = {}\n{nests}endfunction",
            elements.value("0")
        ));
        let (first, second) = (self.made(elements, dims), self.made(elements, dims));
        self.call_update(&name, elements, first, second);
    }

    fn update_nest(&mut self, elements: &Elements, mode: &str, dims: [i64; 2]) -> String {
        let (back, turned) = (self.random.chance(20), self.random.chance(20));
        let mut body = String::new();
        let several = self.random.chance(30);
        for _ in 0..1 + usize::from(several) {
            let from = if elements.is_small() { SMALL } else { CHANGES };
            body += &format!("        {}\n", self.change(from, back, turned));
        }
        let (lines, extent, along, length) = if turned { ("n", "N", "m", "M") } else { ("m", "M", "n", "N") };
        let across = match (back, self.random.below(4)) {
            (false, 0) => format!("{lines} = 0..{extent}-1"),
            (false, _) => format!("{lines} = 1..{extent}-1"),
            (true, _) => format!("{lines} = {extent}-2..-1..0"),
        };
        let along = match self.random.below(8) {
            _ if body.contains("+h") && mode.is_empty() => format!("{along} = 1..h-1"),
            0 | 1 => format!("{along} = 0..{length}-1"),
            2 => format!("{along} = {length}-2..-1..1"),
            3 => format!("{along} = 1..2..{length}-2"),
            4 => format!("{along} = 1..{length}-1-w"),
            _ => format!("{along} = 1..{length}-2"),
        };
        // Floats must stay exact: a change by rows doubles them a few times.
        let exchanged = self.random.chance(15);
        let rows = if turned { dims[1] } else { dims[0] };
        if elements.is_float() {
            if exchanged || several || rows > 5 {
                body += "        c[m,n] = mod(c[m,n], 61)\n";
            } else {
                body = format!(
                    "{body}    endfor\n    endfor\n    for m = 0..M-1\n    for n = 0..N-1\n        c[m,n] = mod(c[m,n], 61)\n"
                );
            }
        }
        let (outer, inner) = if exchanged { (along, across) } else { (across, along) };
        format!("    h = int({length}/2)\n    for {outer}\n    for {inner}\n{body}    endfor\n    endfor\n")
    }

    fn call_update(&mut self, name: &str, elements: &Elements, first: String, second: String) {
        let (c, d) = (self.name("C"), self.name("D"));
        let (show, w) = (self.shower_of(elements), self.random.below(3));
        let other = if self.random.chance(12) { &c } else { &d };
        self.trying(&[
            format!("{c} = {first}"),
            format!("{d} = {second}"),
            format!("{name}({c}, {other}, {w})"),
            format!("{show}({c})"),
            format!("{show}({d})"),
        ]);
    }

    /// Loops that change a vector or a cube by other elements of it.
    pub(super) fn update_of_a_vector(&mut self) {
        self.note("update of a vector in place");
        let (name, elements) = (self.name("shifted"), self.elements(false));
        let changes = [
            "x[n] = x[n+by]",
            "x[n+by] = x[n]",
            "x[n+by] = mod(x[n+by] + x[n], 97)",
            "x[n] += x[n+by]",
            "x[n] = x[N-1-n]",
            "a = x[n]\n        x[n] = x[N-1-n]\n        x[N-1-n] = a",
            "[x[n], x[n+by]] = [x[n+by], x[n]]",
            "a = x[n]\n        b = x[n+h]\n        x[n] = mod(a + b, 97)\n        x[n+h] = mod(a - b, 89)",
            "x[n] = x[n+1] - x[n]",
            "if x[n] > x[n+1]\n            a = x[n]\n            x[n] = x[n+1]\n            x[n+1] = a\n        endif",
            "x[n+h] = x[n]",
            "if x[n+by] > 2\n            x[n] = x[n+by]\n        endif",
            "x[n] = mod(x[n] + x[0], 31)",
            "x[0] = mod(x[0] + x[n], 31)",
            "x[by] = mod(x[by] + x[n], 31)",
            "x[2*n] = x[2*n+1]",
            "x[2*n+1] = mod(x[2*n+1] + x[2*n], 41)",
            "x[n] = mod(x[2*n] + 1, 41)",
            "x[n] = x[n+by]\n        x[n+h] = x[n] + 1",
            "for k = 0..by\n            x[n] = max(x[n], x[n+k])\n        endfor",
        ];
        let mut body = String::new();
        for _ in 0..1 + usize::from(self.random.chance(25)) {
            body += &format!("        {}\n", self.random.pick(&changes));
        }
        let ranges = [
            "0..N-1-by",
            "0..h-1",
            "0..h-1",
            "N-1-by..-1..0",
            "1..N-2",
            "0..2..N-2",
            "by..h-1",
            "0..N-1",
            "h..N-1-by",
            "0..by-1",
        ];
        let range = *self.random.pick(&ranges);
        let blocks = self.random.chance(25);
        let (open, close) = match blocks {
            true => ("    for j = 0..2*by..N-2*by\n    for n = j..j+by-1\n", "    endfor\n    endfor\n"),
            false => ("", ""),
        };
        let (open, close) = match open.is_empty() {
            true => (format!("    for n = {range}\n"), "    endfor\n"),
            false => (open.to_string(), close),
        };
        let mode = *self.random.pick(&["", "", "'safe", "'mirror", "'circular", "'clamped", "'checked"]);
        self.define(&format!(
            "function [] = {name}(x : {}{mode}, by : int)\n    N = numel(x)\n    h = int(N/2)\n{open}{body}{close}endfunction",
            elements.vector
        ));
        let count = *self.random.pick(&[1, 2, 5, 16, 40, 131, 300, 1000]);
        let by = *self.random.pick(&[0, 1, 1, 2, 3, 5, 16, 64, 100]);
        let (x, f) = (self.name("X"), self.random.between(1, 9));
        let integers = if elements.is_float() { "" } else { "int" };
        let shown = if elements.is_float() { "mod(" } else { "(" };
        self.trying(&[
            format!("{x} = {integers}(mod((0..{})*{f}, 13) - 3)", count - 1),
            format!("{name}({x}, {by})"),
            format!("print sum({x}), \" \", sum(mod({x} .* (1..{count}), 251)), \" \", {shown}{x}[numel({x})-1]{}", if elements.is_float() { ", 97)" } else { ")" }),
        ]);
    }

    /// Loops that change planes of a cube by those before them.
    pub(super) fn update_of_planes(&mut self) {
        self.note("update of planes in place");
        let name = self.name("planes");
        let changes = [
            "c[m,n,k] += c[m,n-1,k-1]",
            "c[m,n,k] = c[m,n,k-1] + c[m,n+1,k]",
            "c[m,n,k] = max(c[m-1,n,k], c[m,n,k])",
            "c[m,n,k] = c[m-1,n+1,k]",
            "c[m,n,k] -= c[m-1,n,k-1]",
            "if c[m-1,n,k] > 1\n            c[m,n,k] = c[m-1,n,k-1]\n        endif",
            "c[m,n,0] += c[m,n,k]",
            "c[0,n,k] = c[m,n,k]",
            "c[m,n,k] = c[m,n,K-1-k]",
            "a = c[m,n,0]\n        c[m,n,0] = c[m,n,k]\n        c[m,n,k] = a",
        ];
        let body = format!("        {}\n        c[m,n,k] = mod(c[m,n,k], 53)\n", self.random.pick(&changes));
        let mut loops =
            vec![("m", "1..M-1"), ("n", *self.random.pick(&["1..N-2", "1..N-2", "0..N-1"])), ("k", "1..K-1")];
        let mut nest = String::new();
        while !loops.is_empty() {
            let next = if self.random.chance(70) { 0 } else { self.random.below(loops.len()) };
            let (i, range) = loops.remove(next);
            nest += &format!("    for {i} = {range}\n");
        }
        let mode = *self.random.pick(&["", "", "'safe", "'mirror", "'checked"]);
        self.define(&format!(
            "function [] = {name}(c : cube{mode})\n    [M, N, K] = size(c)\n{nest}{body}    endfor\n    endfor\n    endfor\nendfunction"
        ));
        let (m, n, k) = (
            *self.random.pick(&[1, 2, 4, 5]),
            *self.random.pick(&[1, 3, 5, 40, 70]),
            *self.random.pick(&[1, 2, 3, 4, 5, 33]),
        );
        let (c, f) = (self.name("C"), self.random.between(1, 9));
        let count = m * n * k;
        self.trying(&[
            format!("{c} = reshape(mod((0..{})*{f}, 11), [{m},{n},{k}])", count - 1),
            format!("{name}({c})"),
            format!("print sum({c}), \" \", sum(mod(reshape({c}, [{count}]) .* (1..{count}), 251))"),
        ]);
    }

    /// Nests of three loops whose innermost one adds to an element of what it reads.
    pub(super) fn sum_in_an_element(&mut self) {
        self.note("sum in an element");
        let (name, elements) = (self.name("kept"), self.elements(false));
        let statement = *self.random.pick(KEPT);
        let range = *self.random.pick(RANGES);
        let (rows, columns) = match self.random.below(8) {
            0 => ("0..M-1", "0..i"),
            1 => ("0..M-1", "i..M-1"),
            2 => ("0..M-1", "i+1..M-1"),
            3 => ("M-1..-1..0", "0..N-1"),
            4 => ("1..M-1", "0..i-1"),
            _ => ("0..M-1", "0..N-1"),
        };
        let bounded = |indent: &str, e: &str| match elements.is_float() {
            true => format!("{indent}{e} = mod({e}, 7) - 3\n"),
            false => String::new(),
        };
        let element = statement.split([' ', '\n']).next().unwrap_or("s");
        let element = if statement.starts_with("if") { "y[i,j]" } else { element };
        let more = *self.random.pick(&[
            "",
            "",
            "            y[i,j] *= 2\n",
            "            y[i,j] -= s\n",
            "            s += y[i,j]\n",
        ]);
        let inside = "            ";
        let order = self.random.below(5);
        let body = match order {
            // The loop over `k` between or outside: each addition is bounded.
            0 if !range.contains('j') => format!(
                "    for i = {rows}\n        for k = {range}\n        for j = {columns}\n            {statement}\n{}        endfor\n        endfor\n    endfor\n",
                bounded(inside, element)
            ),
            1 if columns == "0..N-1" && rows == "0..M-1" => format!(
                "    for j = {columns}\n        for i = {rows}\n        for k = {range}\n            {statement}\n        endfor\n{}        endfor\n    endfor\n",
                bounded(inside, if element.contains('k') { "y[i,j]" } else { element })
            ),
            _ => format!(
                "    for i = {rows}\n        for j = {columns}\n            for k = {range}\n            {statement}\n            endfor\n{}{more}        endfor\n    endfor\n",
                bounded(inside, if element.contains('k') { "y[i,j]" } else { element })
            ),
        };
        let grows = elements.is_float()
            && (element.contains('k')
                || statement.contains("*2")
                || statement.contains("v[j] += y[k,j]")
                || statement.contains("*y[j,k]"));
        let (matrix, vector) = (elements.matrix, elements.vector);
        // What no remainder bounds is for integers.
        let (matrix, vector, elements) =
            if grows { ("imat", "ivec", &super::nests::INTEGERS) } else { (matrix, vector, elements) };
        let mode = *self.random.pick(&["", "", "", "", "'safe", "'checked"]);
        self.define(&format!(
            "function [] = {name}(y : {matrix}{mode}, a : {matrix}, v : {vector}, w : int)\n    [M, N] = size(y)\n    s = {}\n{body}    \
             print s\nendfunction",
            elements.value("0")
        ));
        let n = *self.random.pick(&[1, 2, 3, 5, 8, 17, 24]);
        let columns = if self.random.chance(50) { n } else { *self.random.pick(&[1, 2, 5, 40, 70]) };
        let columns = if columns > 24 && n > 8 { n } else { columns };
        let [y, a, v] = ["Y", "A", "V"].map(|stem| self.name(stem));
        let (first, second) =
            (self.made(elements, [n, columns]), self.made(elements, [n.max(columns), n.max(columns)]));
        let (show, w) = (self.shower_of(elements), self.random.below(3));
        let integers = if elements.is_float() { "" } else { "int" };
        let other = if self.random.chance(10) && n == columns { &y } else { &a };
        self.trying(&[
            format!("{y} = {first}"),
            format!("{a} = mod({second}, 3) - {}", elements.value("1")),
            format!("{v} = {integers}(mod((0..{})*5, 7) - 3)", n.max(columns) - 1),
            format!("{name}({y}, {other}, {v}, {w})"),
            format!("{show}({y})"),
            format!("print sum(mod({v}, 101))"),
        ]);
    }

    /// Kernels whose threads change columns of their own in place.
    pub(super) fn launch_in_place(&mut self) {
        self.note("launch in place");
        let (name, elements) = (self.name("column"), self.elements(true));
        let wide = [
            "y[i,pos] = y[i-1,pos] + a[i,pos]",
            "y[i,pos] += a[i,pos]*y[0,pos]",
            "for k = i+1..M-1\n        y[i,pos] += a[k,i]*y[k,pos]\n    endfor",
            "for k = 0..i-1\n        y[i,pos] -= a[i,k]*y[k,pos]\n    endfor",
            "for k = 0..i\n        y[i,pos] += y[k,pos]\n    endfor",
            "t = y[i,pos]\n    y[i,pos] = y[0,pos]\n    y[0,pos] = t - 1",
            "for k = 1..M-1\n        y[k,pos] = mod(y[k,pos] + y[k-1,pos], 97)\n    endfor",
            "y[i,pos] += min(y[i-1,pos], y[i-1,pos+1])",
            "y[i,pos] = y[i-1,pos] - y[i-1,pos-1]",
            "if y[i-1,pos] > 1\n        y[i,pos] = y[i-1,pos+1]\n    endif",
            "if pos < h\n        t = y[i,pos]\n        y[i,pos] = t + y[i,pos+h]\n        y[i,pos+h] = t - y[i,pos+h]\n    endif",
            "if pos < h\n        y[i,pos] = y[i-1,pos+h]\n        y[i,pos+h] = y[i-1,pos]\n    endif",
        ];
        let small = [
            "y[i,pos] = max(y[i-1,pos], y[i,pos])",
            "y[i,pos] = y[i-1,pos+1]",
            "if y[i-1,pos] > 1\n        y[i,pos] = y[i-1,pos]\n    endif",
            "if pos < h\n        t = y[i,pos]\n        y[i,pos] = y[i,pos+h]\n        y[i,pos+h] = t\n    endif",
            "for k = i+1..M-1\n        y[i,pos] = min(y[i,pos], y[k,pos])\n    endfor",
            "for k = 0..i\n        y[i,pos] = max(y[i,pos], y[k,pos])\n    endfor",
        ];
        let body = if elements.is_small() { *self.random.pick(&small) } else { *self.random.pick(&wide) };
        // An element that two threads store to would belong to neither.
        let alone = elements.is_float() && !body.contains("pos+h");
        let bounded = if alone { "    y[i,pos] = mod(y[i,pos], 61)\n" } else { "" };
        let mode =
            *self.random.pick(&["", "'safe", "'unchecked", "'mirror", "'clamped", "'checked", "'circular"]);
        let (body, mode) = if mode == "'unchecked" && (body.contains("pos+1") || body.contains("pos-1")) {
            (body, "'safe")
        } else {
            (body, mode)
        };
        let matrix = elements.matrix;
        self.define(&format!(
            "function [] = __kernel__ {name}(y : {matrix}{mode}, a : {matrix}, i : int, h : int, pos : int)\n    M = size(y,0)\n    {body}\n{bounded}endfunction"
        ));
        let (rows, columns) = (self.random.between(2, 6), *self.random.pick(&[2, 5, 40, 131, 300]));
        let dims = [rows, columns.max(rows)];
        let (first, second) = (self.made(elements, dims), self.made(elements, dims));
        let (y, a, i) = (self.name("Y"), self.name("A"), self.name("i"));
        let show = self.shower_of(elements);
        let (from, h) = (if body.contains("0..i") { 0 } else { 1 }, columns / 2);
        let order = *self.random.pick(&["", "-1"]);
        let other = if self.random.chance(15) && !body.contains("a[i,k]") { &y } else { &a };
        let range = if order.is_empty() {
            format!("{from}..{}", rows - 1)
        } else {
            format!("{}..-1..{from}", rows - 1)
        };
        let mut lines = vec![format!("{y} = {first}"), format!("{a} = {second}")];
        if self.random.chance(50) {
            // A function does not know whether its arguments are one array.
            self.define(&format!(
                "function [] = {name}_each(y : {matrix}, a : {matrix}, h : int)\n    for i = {range}\n        \
                 parallel_do({columns}, y, a, i, h, {name})\n    endfor\nendfunction"
            ));
            lines.push(format!("{name}_each({y}, {other}, {h})"));
        } else {
            lines.push(format!("for {i} = {range}"));
            lines.push(format!("    parallel_do({columns}, {y}, {other}, {i}, {h}, {name})"));
            lines.push("endfor".to_string());
        }
        lines.push(format!("{show}({y})"));
        self.trying(&lines);
    }

    /// Kernels over the upper half of a matrix that read or change the lower one too.
    pub(super) fn launch_over_halves(&mut self) {
        self.note("launch over halves");
        let (name, elements) = (self.name("halves"), self.elements(true));
        let wide = [
            "y[m,n] += y[m+h,n]",
            "y[m,n] -= y[m+h,n+1]",
            "y[m,n] = y[m+h,n-1] + y[2*h-1-m,n+1]",
            "t = y[m,n]\n    y[m,n] = t + y[m+h,n]\n    y[m+h,n] = t - y[m+h,n]",
            "y[m+h,n] += y[m,n]",
            "for k = h..2*h-1\n        y[m,n] += y[k,n]*a[m,k]\n    endfor",
            "for k = 0..m\n        y[m,n] += y[k+h,n+1]\n    endfor",
            "for k = n..n+2\n        y[m,n] += y[m+h,k]\n    endfor",
            "if y[m+h,n] > a[m,n]\n        y[m,n] = y[m+h,n+1]\n    else\n        y[m,n] += 1\n    endif",
        ];
        let small = [
            "y[m,n] = y[m+h,n]",
            "y[m,n] = max(y[m,n], y[m+h,n+1])",
            "t = y[m,n]\n    y[m,n] = y[m+h,n]\n    y[m+h,n] = t",
            "if y[m+h,n] > a[m,n]\n        y[m,n] = y[m+h,n+1]\n    endif",
            "y[m+h,n] = min(y[m,n], a[m,n])",
        ];
        let body = if elements.is_small() { *self.random.pick(&small) } else { *self.random.pick(&wide) };
        let modes = ["", "'safe", "'unchecked", "'mirror", "'clamped", "'checked"];
        let mode = *self.random.pick(if body.contains("n-1") { &modes[3..5] } else { &modes[..] });
        let turned = self.random.chance(20);
        let (rows, columns) = if turned { ("pos[1]", "pos[0]") } else { ("pos[0]", "pos[1]") };
        let matrix = elements.matrix;
        self.define(&format!(
            "function [] = __kernel__ {name}(y : {matrix}{mode}, a : {matrix}, h : int, pos : ivec2)\n    [m, n] = [{rows}, {columns}]\n    {body}\nendfunction"
        ));
        let (h, columns) = (self.random.between(1, 4), *self.random.pick(&[2, 5, 40, 131, 300]));
        // Windows end in the last column that is launched, or beyond.
        let dims = [2 * h, columns + 2];
        let (first, second) = (self.made(elements, dims), self.made(elements, [2 * h, dims[1].max(2 * h)]));
        let (y, a) = (self.name("Y"), self.name("A"));
        let show = self.shower_of(elements);
        let launch = if turned { format!("[{columns}, {h}]") } else { format!("[{h}, {columns}]") };
        self.trying(&[
            format!("{y} = {first}"),
            format!("{a} = {second}"),
            format!("parallel_do({launch}, {y}, {a}, {h}, {name})"),
            format!("{show}({y})"),
        ]);
    }

    /// Stores to slices of arrays of unknown sizes.
    pub(super) fn stores_to_rows_and_columns(&mut self) {
        self.note("stores to rows and columns");
        let name = self.name("slices");
        let mut body = String::new();
        for _ in 0..2 + self.random.below(4) {
            let from = if self.random.chance(80) { SLICES } else { OTHER_SLICES };
            body += &format!("    {}\n", self.random.pick::<&str>(from));
        }
        self.define(&format!(
            "function [] = {name}(x : mat, z : mat, i : imat, b : mat[uint8], t : vec, u : vec, w : int)\n    [M, N] = size(x)\n{body}    \
             print sum(t), \" \", sum(u), \" \", sum(i), \" \", sum(int(b))\nendfunction"
        ));
        let dims = self.extents();
        let [scalars, integers, bytes] = [0, 1, 2].map(|k| &super::nests::ELEMENTS[k]);
        let [x, z, i, b] = ["X", "Z", "I", "B"].map(|stem| self.name(stem));
        let lines = [
            format!("{x} = {}", self.made(scalars, dims)),
            format!("{z} = {}", self.made(scalars, dims)),
            format!("{i} = {}", self.made(integers, dims)),
            format!("{b} = {}", self.made(bytes, dims)),
        ];
        let (show, w) = (self.shower_of(scalars), self.random.below(3));
        let (integer, byte) = (self.shower_of(integers), self.shower_of(bytes));
        let other = if self.random.chance(15) { &x } else { &z };
        let calls = [
            format!(
                "{name}({x}, {other}, {i}, {b}, mod((0..{})*3, 11), mod((0..{})*5, 7), {w})",
                dims[1] - 1,
                dims[0] - 1
            ),
            format!("{show}({x})"),
            format!("{integer}({i})"),
            format!("{byte}({b})"),
        ];
        self.trying(&[&lines[..], &calls[..]].concat());
    }
}
