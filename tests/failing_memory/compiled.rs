//! Compiled functions that need memory in many ways.

type Run = fn() -> quasar::Result<f64>;

pub(crate) const ALL: &[(&str, Run)] = &[
    ("arrays", || program::arrays(120).map(f64::from)),
    ("library", || program::library(80).map(f64::from)),
    ("values", || program::values(900).map(f64::from)),
    ("kernels", || program::kernels(96).map(f64::from)),
];

mod program {
    quasar::quasar! {
        #![quiet]
        function y : scalar = arrays(n : int)
            a = ones(n, 100)
            b = a .* 2 + 1
            b[0..9, :] = 5
            c = transpose(b) * a
            y = sum(b) + sum(c) + sum(cat(0, a, b)) + sum(b[[1, 2, 30], :])
        endfunction

        function y : scalar = library(n : int)
            a = eye(n) .* 3 + ones(n, n)
            x = mod((0..8999) * 919, 9001)
            [s, p] = sort(x)
            [q, r] = qr(a)
            y = sum(inv(a)) + sum(s) + p[0] + sum(repmat(a, [2, 2])) + sum(linspace(0, 1, 9000)) + sum(abs(q)) + size(r, 0)
        endfunction

        function y : int = values(n : int)
            c = cell(n)
            for k = 0..n - 1
                c[k] = k
            endfor
            d = copy(c)
            y = numel(lincell(d))
            for item = d
                y += int(item)
            endfor
        endfunction

        function [] = __kernel__ turned(x : mat, y : mat, pos : ivec2, blkpos : ivec2, blkdim : ivec2)
            s = shared(blkdim[0], blkdim[1])
            s[blkpos] = x[pos]
            syncthreads
            y[pos] = s[blkdim[0] - 1 - blkpos[0], blkpos[1]]
        endfunction

        function y : scalar = kernels(n : int)
            x = ones(n, n)
            z = zeros(n, n)
            parallel_do(size(x), x, z, turned)
            for m = 0..n - 1
                for k = 0..n - 1
                    z[m, k] += x[m, k] * m
                endfor
            endfor
            y = sum(z)
        endfunction
    }
}
