//! Loops of random programs whose iterations make arrays of unknown size: slices, tables, sorts, scans, masks, other names for them, arrays
//! that take their place, and what fails in some iterations.

use super::Generator;

impl Generator {
    /// A function whose loop makes arrays, and calls of it.
    pub(super) fn arrays_of_iterations(&mut self) {
        self.note("arrays of iterations");
        let name = self.name("made");
        let first = *self.random.pick(&[
            "w = x[m,:]",
            "w = x[m,:]",
            "w = x[m,max(0,m-r)..min(N-1,m+r+2)]",
            "w = x[m,r..N-1-r]",
            "w = zeros(r+2)\n        for k = 0..r+1\n            w[k] = x[m,mod(k*3,N)] - m\n        endfor",
            "w = x[m,0..N-1] - x[0,0..N-1]",
            "w = x[mod(m+1,size(x,0)),:] .* m",
            "w = zeros(70)\n        for k = 0..69\n            w[k] = x[m,mod(k*3,N)] - m\n        endfor",
            "w = round(linspace(0, 79, 80)) + x[m,0]",
            "w = repmat(x[m,:], [1,20])[0,0..70+r]",
        ]);
        let mut body = format!("        {first}\n");
        for _ in 0..self.random.below(4) {
            let step = *self.random.pick(&[
                "w = sort(w)",
                "w = cumsum(w)",
                "w = cummax(w)",
                "w = fliplr(w)",
                "w = w[w > 3]",
                "w = w + 1",
                "v = w\n        v[0] = 5",
                "w = horzcat(w, w)",
                "w[0] = w[numel(w)-1] + 1",
                "w[m] += 2",
                "if mod(m, 2) == 0\n            w = sort(w)\n        endif",
                "if mod(m, 3) == 1\n            w = ones(r+1)\n        endif",
                "for k = 1..numel(w)-1\n            w[k] = mod(w[k] + w[k-1], 17)\n        endfor",
                "for k = 0..numel(w)-1\n            w[k] += 2*w[k]\n        endfor",
                "A = zeros(r+1, r+2)\n        for i = 0..r\n            for j = 0..r+1\n                A[i,j] = i*j + m\n            endfor\n        \
                 endfor\n        w = reshape(A, [numel(A)])",
                "w = w - floor(median(w))",
                "while numel(w) > 4\n            w = w[1..int(numel(w)/2)+1]\n        endwhile",
                "w = linspace(0, numel(w)-1, numel(w)) + w",
                "w = mod(w, 7) - w",
                "w = w[numel(w)-1..-1..0]",
                "w = horzcat(w[0..numel(w)-2], 5)",
            ]);
            body += &format!("        {step}\n");
        }
        let last = *self.random.pick(&[
            "y[m] = sum(w)",
            "y[m] = sum(w)",
            "y[m] = floor(2*median(w))",
            "y[m] = max(w) - min(w)",
            "y[m] = argmin(w) + 10*argmax(w)",
            "y[m] = numel(w)",
            "y[m] = w[numel(w)-1]",
            "y[m] += w[r]",
            "s = 0\n        for k = 0..numel(w)-1\n            s = s*2 + w[k]\n            s = mod(s, 101)\n        endfor\n        y[m] = s",
            "y[m] = sum(w) + (m > 0 ? 1 : 0)\n        t = w",
            "s = 0\n        for k = 0..numel(w)-1\n            s += (k > 0 && w[k] > 2) ? w[k-1] : 1\n        endfor\n        y[m] = s",
            "s = 0\n        c = 0\n        for k = 0..numel(w)-1\n            if k > r && w[k] > 2\n                d = w[k-r-1]\n                s += d\n                \
             c += 1\n            else\n                s -= 1\n            endif\n        endfor\n        y[m] = s*10 + c",
            "s = 0\n        b = 100\n        for k = 0..N-1\n            if k < N-1 && x[m,k] > 3\n                s += x[m,k+1]\n            elseif x[m,k] < 2\n                \
             b = min(b, x[m,k] - k)\n            endif\n        endfor\n        y[m] = s + b",
            "y[m] = sum(x[m,:]*transpose(x))",
        ]);
        body += &format!("        {last}\n");
        let before = *self.random.pick(&["", "", "", "    w = ones(3)\n"]);
        let mode = *self.random.pick(&["for", "for", "{!parallel for}\n    for"]);
        self.define(&format!(
            "function y : vec = {name}(x : mat, r : int)\n    N = size(x,1)\n    y = zeros(size(x,0))\n{before}    \
             {mode} m = 0..size(x,0)-1\n{body}    endfor\nendfunction"
        ));
        let (rows, columns) = (*self.random.pick(&[5, 70]), self.random.between(1, 12));
        let x = format!("mod(reshape(0..{}-1, [{rows},{columns}])*7, 11)", rows * columns);
        for _ in 0..2 {
            let (r, y) = (self.random.between(-2, 9), self.name("Y"));
            self.open("try");
            self.line(format!("{y} = {name}({x}, {r})"));
            self.line(format!("print sum(mod({y}, 97)), \" \", {y}[0..3]"));
            self.close("catch ex");
            self.indent += 1;
            self.line("print \"caught\"");
            self.close("endtry");
        }
    }
}
