% Pairs of programs whose times are compared: two variants of each task.

% A sum: a plain loop, atomic additions in a kernel, and atomic additions whose result is used, which the compiler cannot
% turn into a reduction.
function s : scalar = sum_by_loop(x : mat)
    s = 0.0
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s += x[m,n]
        end
    end
end

function [] = __kernel__ add_to(x : mat, s : vec, pos : ivec2)
    s[0] += x[pos]
end

function s : scalar = sum_by_additions(x : mat)
    t = zeros(1)
    parallel_do(size(x), x, t, add_to)
    s = t[0]
end

function [] = __kernel__ add_each_to(x : mat, s : vec, pos : ivec2)
    v = (s[0] += x[pos])
end

function s : scalar = sum_by_atomics(x : mat)
    t = zeros(1)
    parallel_do(size(x), x, t, add_each_to)
    s = t[0]
end

% Several reductions at once: a sum, a sum of squares, a maximum.
function r : vec = aggregate_by_loop(x : mat)
    s = 0.0
    q = 0.0
    v = -1e30
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s += x[m,n]
            q += x[m,n] * x[m,n]
            v = max(v, x[m,n])
        end
    end
    r = [s, q, v]
end

function [] = __kernel__ aggregate_each(x : mat, r : vec, pos : ivec2)
    s = (r[0] += x[pos])
    q = (r[1] += x[pos] * x[pos])
    v = (r[2] ^^= x[pos])
end

function r : vec = aggregate_by_atomics(x : mat)
    r = [0.0, 0.0, -1e30]
    parallel_do(size(x), x, r, aggregate_each)
end

% Gradients: sequential iterations, compiled as a whole or statement by statement, and a loop that becomes a kernel.
function [] = gradient_in_order(x : mat, y : mat)
    {!serial for}
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = sqrt((x[m+1,n]-x[m,n])^2 + (x[m,n+1]-x[m,n])^2)
        end
    end
end

function [] = gradient_by_statements(x : mat, y : mat)
    {!interpreted for}
    for m = 0..size(y,0)-1
        {!interpreted for}
        for n = 0..size(y,1)-1
            y[m,n] = sqrt((x[m+1,n]-x[m,n])^2 + (x[m,n+1]-x[m,n])^2)
        end
    end
end

function [] = gradient(x : mat, y : mat)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = sqrt((x[m+1,n]-x[m,n])^2 + (x[m,n+1]-x[m,n])^2)
        end
    end
end

% A matrix product with few elements: a plain loop, and a loop whose iterations the compiler cannot split.
function [] = product_by_sums(a : mat, b : mat, c : mat)
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            s = 0.0
            for k = 0..size(a,1)-1
                s += a[i,k] * b[k,j]
            end
            c[i,j] = s
        end
    end
end

function [] = product_by_threads(a : mat, b : mat, c : mat)
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            s = 0.0
            k = 0
            while k < size(a,1)
                s += a[i,k] * b[k,j]
                k += 1
            end
            c[i,j] = s
        end
    end
end

% Histograms of bytes.
function [] = histogram_by_loop(x : vec[uint8], h : ivec)
    for i = 0..numel(x)-1
        h[x[i]] += 1
    end
end

function [] = __kernel__ count_each(x : vec[uint8], h : ivec, pos : int)
    k = (h[x[pos]] += 1)
end

function [] = histogram_by_atomics(x : vec[uint8], h : ivec)
    parallel_do(numel(x), x, h, count_each)
end

function [] = __kernel__ count_in_blocks(x : vec[uint8], h : ivec, threads : int, pos : int, blkpos : int)
    t = shared[int](256)
    t[blkpos] = 0
    syncthreads
    i = pos
    while i < numel(x)
        t[x[i]] += 1
        i += threads
    end
    syncthreads
    h[blkpos] += t[blkpos]
end

function [] = histogram_in_blocks(x : vec[uint8], h : ivec, threads : int)
    parallel_do([[threads],[256]], x, h, threads, count_in_blocks)
end

% One step of clustering: each point is added to the sums of its nearest centre.
function [] = cluster_by_loop(p : mat, c : mat, s : mat, k : vec)
    for i = 0..size(p,0)-1
        best = 1e30
        id = 0
        for j = 0..size(c,0)-1
            d = (p[i,0]-c[j,0])^2 + (p[i,1]-c[j,1])^2 + (p[i,2]-c[j,2])^2
            if d < best
                best = d
                id = j
            endif
        end
        for e = 0..2
            s[id,e] += p[i,e]
        end
        k[id] += 1
    end
end

function [] = __kernel__ cluster_each(p : mat, c : mat, s : mat, k : vec, pos : int)
    best = 1e30
    id = 0
    for j = 0..size(c,0)-1
        d = (p[pos,0]-c[j,0])^2 + (p[pos,1]-c[j,1])^2 + (p[pos,2]-c[j,2])^2
        if d < best
            best = d
            id = j
        endif
    end
    for e = 0..2
        v = (s[id,e] += p[pos,e])
    end
    w = (k[id] += 1)
end

function [] = cluster_by_atomics(p : mat, c : mat, s : mat, k : vec)
    parallel_do(size(p,0), p, c, s, k, cluster_each)
end

% Indices that come from data: every access is bounds-checked, or none.
function [] = gather_safe(x : vec'safe, at : ivec'safe, y : vec'safe)
    for i = 0..numel(y)-1
        s = 0.0
        for k = 0..15
            s += x[at[i] + k * at[k]]
        end
        y[i] = s
    end
end

function [] = gather_checked(x : vec'checked, at : ivec'checked, y : vec'checked)
    for i = 0..numel(y)-1
        s = 0.0
        for k = 0..15
            s += x[at[i] + k * at[k]]
        end
        y[i] = s
    end
end

function [] = gather_unchecked(x : vec'unchecked, at : ivec'unchecked, y : vec'unchecked)
    for i = 0..numel(y)-1
        s = 0.0
        for k = 0..15
            s += x[at[i] + k * at[k]]
        end
        y[i] = s
    end
end

% Indices that the compiler or the launch can prove in range.
function [] = box_checked(x : mat'checked, y : mat'checked)
    for m = 1..size(y,0)-2
        for n = 1..size(y,1)-2
            s = 0.0
            for a = -1..1
                for b = -1..1
                    s += x[m+a,n+b]
                end
            end
            y[m,n] = s / 9
        end
    end
end

function [] = box_asserted(x : mat'checked, y : mat'checked)
    assert(size(x) == size(y))
    for m = 1..size(y,0)-2
        for n = 1..size(y,1)-2
            s = 0.0
            for a = -1..1
                for b = -1..1
                    s += x[m+a,n+b]
                end
            end
            y[m,n] = s / 9
        end
    end
end

function [] = box_unchecked(x : mat'unchecked, y : mat'unchecked)
    for m = 1..size(y,0)-2
        for n = 1..size(y,1)-2
            s = 0.0
            for a = -1..1
                for b = -1..1
                    s += x[m+a,n+b]
                end
            end
            y[m,n] = s / 9
        end
    end
end

% The same index as an integer and as a scalar.
function [] = __kernel__ taps_by_int(x : mat'mirror, y : mat, r : int, pos : ivec2)
    s = 0.0
    k = -r
    while k <= r
        s += x[pos[0],pos[1]+k]
        k += 1
    end
    y[pos] = s
end

function [] = __kernel__ taps_by_scalar(x : mat'mirror, y : mat, r : scalar, pos : ivec2)
    s = 0.0
    k = -r
    while k <= r
        s += x[pos[0],pos[1]+k]
        k += 1
    end
    y[pos] = s
end

function [] = by_integers(x : mat, y : mat, r : int)
    parallel_do(size(y), x, y, r, taps_by_int)
end

function [] = by_scalars(x : mat, y : mat, r : int)
    parallel_do(size(y), x, y, float(r), taps_by_scalar)
end

% A function that is known, and one of four that the host chooses.
function y : scalar = __device__ first(x : scalar)
    y = 0.25 * x + 1
end
function y : scalar = __device__ second(x : scalar)
    y = 0.5 * x - 1
end
function y : scalar = __device__ third(x : scalar)
    y = x * x
end
function y : scalar = __device__ fourth(x : scalar)
    y = abs(x)
end

function [] = __kernel__ iterate(x : mat, y : mat, rounds : int, f, pos : ivec2)
    v = x[pos]
    for k = 1..rounds
        v = f(v)
    end
    y[pos] = v
end

function [] = known_function(x : mat, y : mat, rounds : int)
    parallel_do(size(y), x, y, rounds, first, iterate)
end

function [] = chosen_function(x : mat, y : mat, rounds : int, which : int)
    f = which == 0 ? first : (which == 1 ? second : (which == 2 ? third : fourth))
    parallel_do(size(y), x, y, rounds, f, iterate)
end

% A filter with dynamic weights and direction, and a version specialised for known ones.
function [] = __kernel__ filter_any(x : mat'mirror, y : mat, a : vec, d : ivec, pos : ivec2)
    s = 0.0
    for k = 0..numel(a)-1
        s += a[k] * x[pos[0] + (k - int(numel(a)/2)) * d[0], pos[1] + (k - int(numel(a)/2)) * d[1]]
    end
    y[pos] = s
end

function [] = filter_general(x : mat, y : mat, a : vec, d : ivec)
    parallel_do(size(y), x, y, a, d, filter_any)
end

function [] = filter_special(x : mat'mirror, y : mat)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = x[m,n-1] + 2 * x[m,n] + x[m,n+1]
        end
    end
end

% A sequence of many small kernels.
function [] = chain(x : mat, y : mat, rounds : int)
    for k = 1..rounds
        parallel_do(size(x), x, y, __kernel__ (x : mat, y : mat, pos : ivec2) -> y[pos] = 0.5 * x[pos] + 1)
        parallel_do(size(x), x, y, __kernel__ (x : mat, y : mat, pos : ivec2) -> x[pos] = 0.5 * y[pos] + 1)
    end
end

% The same filter with its weights in ordinary and in constant memory.
function [] = filter_of_global(x : mat, y : mat, f : vec)
    parallel_do(size(y), x, y, f, weigh_by_global)
end

function [] = filter_of_constant(x : mat, y : mat, f : vec)
    parallel_do(size(y), x, y, f, weigh_by_constant)
end

function [] = __kernel__ weigh_by_constant(x : mat, y : mat, f : vec'hwconst, pos : ivec2)
    s = 0.0
    for k = 0..numel(f)-1
        s += f[k] * x[pos[0],pos[1]+k]
    end
    y[pos] = s
end

function [] = __kernel__ weigh_by_global(x : mat, y : mat, f : vec, pos : ivec2)
    s = 0.0
    for k = 0..numel(f)-1
        s += f[k] * x[pos[0],pos[1]+k]
    end
    y[pos] = s
end

% The nearest of many centres, which all threads read.
function [] = __kernel__ nearest_of_global(p : mat, c : mat, l : ivec, pos : int)
    best = 1e30
    id = 0
    for k = 0..size(c,0)-1
        d = (p[pos,0]-c[k,0])^2 + (p[pos,1]-c[k,1])^2 + (p[pos,2]-c[k,2])^2
        if d < best
            best = d
            id = k
        endif
    end
    l[pos] = id
end

function [] = __kernel__ nearest_of_constant(p : mat, c : mat'hwconst, l : ivec, pos : int)
    best = 1e30
    id = 0
    for k = 0..size(c,0)-1
        d = (p[pos,0]-c[k,0])^2 + (p[pos,1]-c[k,1])^2 + (p[pos,2]-c[k,2])^2
        if d < best
            best = d
            id = k
        endif
    end
    l[pos] = id
end

function [] = assign_by_global(p : mat, c : mat, l : ivec)
    parallel_do(size(p,0), p, c, l, nearest_of_global)
end

function [] = assign_by_constant(p : mat, c : mat, l : ivec)
    parallel_do(size(p,0), p, c, l, nearest_of_constant)
end

function [] = filter_of_read_only(x : mat, y : mat, f : vec)
    parallel_do(size(y), x, y, f, weigh_by_read_only)
end

function [] = __kernel__ weigh_by_read_only(x : mat'hwtex_const, y : mat, f : vec'hwtex_const, pos : ivec2)
    s = 0.0
    for k = 0..numel(f)-1
        s += f[k] * x[pos[0],pos[1]+k]
    end
    y[pos] = s
end

function [] = filter_of_texture(x : mat, y : mat, f : vec)
    parallel_do(size(y), x, y, f, weigh_by_texture)
end

function [] = __kernel__ weigh_by_texture(x : mat'hwtex_nearest, y : mat, f : vec'hwconst, pos : ivec2)
    s = 0.0
    for k = 0..numel(f)-1
        s += f[k] * x[pos[0],pos[1]+k]
    end
    y[pos] = s
end

% Colours: three components of nine neighbours.
function [] = __kernel__ mix(x : cube(:,:,3), y : cube(:,:,3), pos : ivec2)
    s = [0.0, 0.0, 0.0]
    for a = -1..1
        for b = -1..1
            s += x[pos[0]+a,pos[1]+b,0..2]
        end
    end
    y[pos[0],pos[1],0..2] = s
end

function [] = __kernel__ mix_texture(x : cube(:,:,3)'hwtex_nearest(4), y : cube(:,:,3), pos : ivec2)
    s = [0.0, 0.0, 0.0]
    for a = -1..1
        for b = -1..1
            s += x[pos[0]+a,pos[1]+b,0..2]
        end
    end
    y[pos[0],pos[1],0..2] = s
end

function [] = colours(x : cube(:,:,3), y : cube(:,:,3))
    parallel_do(size(y,[0,1]), x, y, mix)
end

function [] = colours_by_texture(x : cube(:,:,3), y : cube(:,:,3))
    parallel_do(size(y,[0,1]), x, y, mix_texture)
end

% Rotation by a small angle: explicit interpolation, and that of a texture.
function [] = __kernel__ turn_by_hand(x : mat'clamped, y : mat, c : scalar, s : scalar, pos : ivec2)
    p = c * pos[0] - s * pos[1]
    q = s * pos[0] + c * pos[1]
    m = int(floor(p))
    n = int(floor(q))
    a = p - m
    b = q - n
    y[pos] = (1-a) * ((1-b) * x[m,n] + b * x[m,n+1]) + a * ((1-b) * x[m+1,n] + b * x[m+1,n+1])
end

function [] = __kernel__ turn_by_texture(x : mat'hwtex_linear'clamped, y : mat, c : scalar, s : scalar, pos : ivec2)
    y[pos] = x[c * pos[0] - s * pos[1], s * pos[0] + c * pos[1]]
end

function [] = turn(x : mat, y : mat, c : scalar, s : scalar)
    parallel_do(size(y), x, y, c, s, turn_by_hand)
end

function [] = turn_texture(x : mat, y : mat, c : scalar, s : scalar)
    parallel_do(size(y), x, y, c, s, turn_by_texture)
end
