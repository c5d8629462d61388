% optim.q: argmin(e, x) finds the x for which e is least. Which way is taken is decided by what e looks like; the present
% value of the variable x is where the search begins, and says how many unknowns there are.

% Least squares with a penalty on large values, for a matrix: conjugate gradients.
reduction (y : vec, A : mat, x : vec, weight : scalar) -> argmin(sum((y - A*x).^2) + weight*sum(x.^2), x) = least_squares(A, y, weight, x)
reduction (y : vec, A : mat, x : vec) -> argmin(sum((y - A*x).^2) + sum(x.^2), x) = least_squares(A, y, 1.0, x)
reduction (y : vec, A : mat, x : vec) -> argmin(sum((y - A*x).^2), x) = least_squares(A, y, 0.0, x)

% The same for a function of x, which must be linear but for a constant.
reduction (y : vec, W, x : vec, weight : scalar) -> argmin(sum((y - W(x)).^2) + weight*sum(x.^2), x) = least_squares_of(W, y, weight, x)
reduction (y : vec, W, x : vec) -> argmin(sum((y - W(x)).^2) + sum(x.^2), x) = least_squares_of(W, y, 1.0, x)
reduction (y : vec, W, x : vec) -> argmin(sum((y - W(x)).^2), x) = least_squares_of(W, y, 0.0, x)

% Any function of one number: the nearest minimum.
reduction (f, x : scalar) -> argmin(f(x), x) = minimum_near(f, x)

% The vector x with the least sum((y - A*x).^2) + weight*sum(x.^2), by conjugate gradients of the normal equations.
function x : vec = least_squares(A : mat, y : vec, weight : scalar, start : vec)
    n = numel(start)
    assert(size(A,1) == n && size(A,0) == numel(y), "least squares: the sizes of matrix and vectors differ")
    x = copy(start)
    r = y - reshape(A*transpose(x), [numel(y)])
    s = reshape(transpose(A)*transpose(r), [n]) - weight*x
    p = s
    first = sum(s.^2)
    gamma = first
    k = 0
    while k < 2*n && gamma > first*1e-12
        q = reshape(A*transpose(p), [numel(y)])
        alpha = gamma/(sum(q.^2) + weight*sum(p.^2))
        x = x + alpha*p
        r = r - alpha*q
        s = reshape(transpose(A)*transpose(r), [n]) - weight*x
        before = gamma
        gamma = sum(s.^2)
        p = s + (gamma/before)*p
        k += 1
    endwhile
endfunction

% The same for a function: its matrix has what it makes of unit vectors as columns.
function x : vec = least_squares_of(W, y : vec, weight : scalar, start : vec)
    n = numel(start)
    offset = W(zeros(n))
    A = zeros(numel(y), n)
    for k = 0..n-1
        unit = zeros(n)
        unit[k] = 1
        column = W(unit)
        for i = 0..numel(y)-1
            A[i,k] = column[i] - offset[i]
        endfor
    endfor
    x = least_squares(A, y - offset, weight, start)
endfunction

% The minimum of a function that is reached going downhill from start: steps that double until it rises again, then the
% golden section.
function x : scalar = minimum_near(f, start : scalar)
    step = 0.01*(1 + abs(start))
    a = start
    b = start + step
    fa = f(a)
    fb = f(b)
    if fb > fa
        step = -step
        a = start + abs(step)
        b = start
        fb = fa
    endif
    c = b + step
    fc = f(c)
    k = 0
    while fc < fb && k < 100
        step = 2*step
        a = b
        b = c
        fb = fc
        c = b + step
        fc = f(c)
        k += 1
    endwhile
    assert(k < 100, "argmin: the function seems to fall for ever")
    ratio = 0.618034
    p = c - ratio*(c - a)
    q = a + ratio*(c - a)
    fp = f(p)
    fq = f(q)
    for i = 1..60
        if fp < fq
            c = q
            q = p
            fq = fp
            p = c - ratio*(c - a)
            fp = f(p)
        else
            a = p
            p = q
            fp = fq
            q = a + ratio*(c - a)
            fq = f(q)
        endif
    endfor
    x = (a + c)/2
endfunction
