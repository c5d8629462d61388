% Arrays of unknown sizes in objects that kernels are given: elements are read and written, alone, in arrays, and behind pointers.
type cluster : mutable class
    weights : vec
    image : mat
    n : int
    best : scalar
endtype
type node : mutable class
    values : vec
    next : ^node
endtype
function s = __device__ total(c : cluster)
    s = 0.0
    for i = 0..numel(c.weights)-1
        s += c.weights[i]
    endfor
    s += c.image[0,0]
endfunction
function [] = __kernel__ k(cs : vec[cluster], y : vec, pos : int)
    c = cs[pos]
    s = 0.0
    for i = 0..numel(c.weights)-1
        s += c.weights[i]
        c.weights[i] += 1
    endfor
    w = c.weights
    cs[pos].image[0,pos] = size(c.image,1) + numel(w)
    c.best = max(w)
    c.n += 1
    y[pos] = s + w[0] + total(cs[pos]) + cs[0].weights[5] + numel(cs)
endfunction
function [] = __kernel__ one(c : cluster, y : vec, pos : int)
    c.weights[pos] = 10*c.weights[pos] + numel(c.image)
    y[pos] = c.weights[pos] + c.image[pos,0]
endfunction
function [] = __kernel__ follow(first : ^node, y : vec, pos : int)
    p = first
    s = 0.0
    while p != nullptr
        s += p.values[pos] + numel(p.values)
        p.values[pos] = -1
        p = p.next
    endwhile
    y[pos] = s
endfunction
function [] = __device__ scale(c : cluster, by : scalar)
    for i = 0..numel(c.weights)-1
        c.weights[i] *= by
    endfor
endfunction
function s = __device__ best(cs : vec[cluster], from : int)
    s = max(cs[from].weights)
    if from > 0
        s = max(s, best(cs, from - 1))
    endif
endfunction
function s = __device__ along(p : ^node, k : int)
    s = p == nullptr ? 0 : p.values[k]
endfunction
function [] = __kernel__ called(cs : vec[cluster], first : ^node, y : vec, pos : int)
    scale(cs[pos], 2)
    y[pos] = along(first, pos) + along(first.next, 0)
endfunction
function [] = __kernel__ deep(cs : vec[cluster], y : vec, pos : int)
    y[pos] = best(cs, pos)
endfunction
function [] = __kernel__ grid(cs : mat[cluster], y : mat, pos : ivec2)
    y[pos] = sum(cs[pos].weights)
endfunction
function [] = main()
    make = j -> cluster(weights := linspace(1, j+2, j+2), image := j * ones(2, 3), n := j, best := 0)
    cs = {make(0), make(1), make(2)}
    y = zeros(3)
    parallel_do(3, cs, y, k)
    print y
    for j = 0..2
        print cs[j].weights, cs[j].image, cs[j].n, " ", cs[j].best
    endfor
    parallel_do(2, cs[1], y, one)
    print y, cs[1].weights
    b : ^node = node(values := [5,6], next := nullptr)
    a : ^node = node(values := [1,2,3], next := b)
    parallel_do(2, a, y, follow)
    print y, a.values, b.values
    parallel_do(3, cs, a, y, called)
    print y, cs[0].weights, cs[2].weights
    parallel_do(3, cs, y, deep)
    print y
    g = reshape({cs[0], cs[2]}, [1,2])
    z = zeros(1,2)
    parallel_do([1,2], g, z, grid)
    print z
endfunction
