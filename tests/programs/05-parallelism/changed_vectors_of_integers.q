% Vectors of integers that a thread keeps and changes.
function [] = __device__ raise(v : ivec2, k : int)
    v[1] += k
endfunction
function [] = __kernel__ update(z : vec, pos : int)
    v = [0, 0]
    v[0] += 5
    z[pos] = v[0]
endfunction
function [] = __kernel__ store(z : vec, pos : int)
    v = [1, 2]
    w = [pos, pos + 1]
    v[1] = 7 + w[0]
    w[0] = 100
    z[pos] = v[1] + 10 * v[0] + w[0] + 1000 * w[1]
endfunction
function [] = __kernel__ chosen(z : vec, pos : int)
    v = [3, 4, 5]
    if pos == 1
        v[pos] = 40
    endif
    z[pos] = v[0] + v[1] + v[2]
endfunction
function [] = __kernel__ called(z : vec, pos : int)
    v = [pos, 2]
    raise(v, 5)
    z[pos] = v[0] + v[1]
endfunction
function [] = main()
    z = zeros(3)
    parallel_do(3, z, update)
    print z
    parallel_do(3, z, store)
    print z
    parallel_do(3, z, chosen)
    print z
    parallel_do(3, z, called)
    print z
endfunction
