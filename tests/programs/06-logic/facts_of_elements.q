% Elements of integer vectors are known until something is stored, and positions are not negative.
function [] = f(v : ivec)
    assert(v[1] == 6)
    print $check(v[1] > 5), $check(v[0] > 5)
    v[0] = 3
    print $check(v[1] > 5)
    w = v
    assert(w[1] == 6)
    v[1] = 7
    print $check(w[1] > 5)
    assert(v[0] < 9)
    for i = 0..1
        print $check(v[0] < 9)
        v[0] = 12
    endfor
    print $check(v[0] < 9)
endfunction
f([1,6,3])
function [] = __kernel__ kp(y : mat, pos : ivec2, blkdim)
    if $check(pos[0] >= 0 && pos[1] >= 0) == "Valid"
        y[pos] = 1
    endif
    if $check(blkdim[0] >= 0) == "Valid"
        y[pos] += 10
    endif
endfunction
y = zeros(2,2)
parallel_do(size(y), y, kp)
print y
function [] = __kernel__ k1(y : vec, pos : int)
    if $check(pos >= 0) == "Valid"
        y[pos] = 1
    endif
    pos = pos - 5
    if $check(pos >= 0) == "Valid"
        y[pos + 5] = 7
    endif
endfunction
z = zeros(2)
parallel_do(2, z, k1)
print z
