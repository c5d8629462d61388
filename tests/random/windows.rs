//! Loops of random programs over windows whose ends lie so far from the position: cut off at the border by hand or by a mode, upwards and
//! downwards, with steps, with radii that are larger than the array or negative.

use super::Generator;

impl Generator {
    /// One end of a window around the column.
    fn end(&mut self, low: bool) -> String {
        let place =
            if low { ["n-r", "n-r", "n-1", "n", "n-r+1"] } else { ["n+r", "n+r", "n+2", "n", "1+n+r"] };
        let place = *self.random.pick(&place);
        let limit = *self.random.pick(if low {
            &["0", "0", "0", "1", "w"]
        } else {
            &["N-1", "N-1", "N-1", "N-2", "N-1-w"]
        });
        match (self.random.below(6), low) {
            (0, _) => place.to_string(),
            (k, true) if k % 2 == 0 => format!("max({limit}, {place})"),
            (_, true) => format!("max({place}, {limit})"),
            (k, false) if k % 2 == 0 => format!("min({limit}, {place})"),
            (_, false) => format!("min({place}, {limit})"),
        }
    }

    /// A function that goes over windows of rows.
    pub(super) fn window_at_the_border(&mut self) {
        self.note("window that ends at the border");
        let name = self.name("borders");
        let (low, high) = (self.end(true), self.end(false));
        let range = match self.random.below(5) {
            0 => format!("{high}..-1..{low}"),
            1 => format!("{low}..2..{high}"),
            _ => format!("{low}..{high}"),
        };
        let ends = format!("            lo = {low}\n            hi = {high}\n");
        let (before, range, from) = match self.random.below(8) {
            0 | 1 => (ends, "lo..hi".to_string(), ""),
            2 | 3 => (ends, "0..hi-lo".to_string(), "lo+"),
            _ => (String::new(), range, ""),
        };
        let term = *self.random.pick(&[
            "s += x[m,j]",
            "s += x[m,j]*(j-n)",
            "s = max(s, x[m,j])",
            "s += x[m,n]*x[m,j] + j",
            "s += x[m,j]*w",
            "s = mod(s*2 + x[m,j], 13)",
            "if x[m,j] > x[m,n]\n                    s += 1\n                endif",
            "if j == n + 1\n                    break\n                endif\n                s += x[m,j]",
            "s += x[max(0,m-1),j] - x[m,n-j+n]",
        ]);
        let (open, close) = match self.random.chance(40) {
            true => ("            for i = max(0,m-1)..min(size(x,0)-1,m+1)\n", "            endfor\n"),
            false => ("", ""),
        };
        let term = if open.is_empty() { term.to_string() } else { term.replace("[m,j]", "[i,j]") };
        let term = term.replace(",j]", &format!(",{from}j]"));
        let behind = if self.random.chance(20) { "s + 100*j" } else { "s" };
        let mode = *self.random.pick(&["'safe", "'safe", "'clamped", "'mirror", ""]);
        self.define(&format!(
            "function y : mat = {name}(x : mat{mode}, r : int, w : int)\n    N = size(x,1)\n    y = zeros(size(x))\n    \
             for m = 0..size(x,0)-1\n        for n = 0..N-1\n            [s, j] = [0, 0]\n{before}{open}            for j = {range}\n                \
             {term}\n            endfor\n{close}            y[m,n] = {behind}\n        endfor\n    endfor\nendfunction"
        ));
        let (rows, columns) = (self.random.between(1, 4), self.random.between(50, 90));
        let x = format!("mod(reshape(0..{}-1, [{rows},{columns}])*7, 11)", rows * columns);
        for _ in 0..2 {
            let near = self.random.between(-2, 9).to_string();
            let r = *self.random.pick(&[near.as_str(), near.as_str(), near.as_str(), "1", "40", "100"]);
            let (r, y) = (r.to_string(), self.name("Y"));
            let w = self.random.below(3);
            self.open("try");
            self.line(format!("{y} = {name}({x}, {r}, {w})"));
            self.line(format!(
                "print sum(mod({y}, 97)), \" \", {y}[0,0..3], \" \", {y}[{},{}]",
                rows - 1,
                columns - 1
            ));
            self.close("catch ex");
            self.indent += 1;
            self.line("print \"caught\"");
            self.close("endtry");
        }
    }
}
