% Versions of functions for types, values and facts.
function y = __device__ threshold(x : scalar, t : scalar, soft : int)
    if soft == 1
        y = x > t ? x - t : (x < -t ? x + t : 0.0)
    else
        y = abs(x) > t ? x : 0.0
    endif
endfunction
function [] = __kernel__ filter(im : mat, out : mat, taps : vec, dir : ivec, f, pos : vec2)
    sum = 0.0
    for i = 0..numel(taps)-1
        sum += taps[i]*im[pos + (i - 1)*dir]
    endfor
    out[pos] = f(sum)
endfunction
function y = chosen(x : [int|scalar|vec], k : int)
    if type(x, "int")
        y = 100 + k
    else
        y = 200 + k
    endif
endfunction
function y = checked(n : int)
    if n > 0
        y = "positive"
    else
        y = "not positive"
    endif
endfunction
function y = applied(f, x : scalar)
    y = f(x)
endfunction
function s = hostsum(x : vec)
    s = 0.0
    for i = 0..numel(x)-1
        s += x[i]
    endfor
endfunction
function y = __device__ twice(x)
    y = 2*x
endfunction
function [] = __kernel__ rows(x : mat, s : vec, pos : int)
    sum = $elevate(hostsum)
    s[pos] = sum(x[pos, :])
endfunction
function [] = main()
    soft = $specialize(threshold, soft == 1 && t == 0.5)
    hard = $specialize(threshold, soft == 0)
    print soft(2.0), " ", soft(-0.25), " ", hard(2.0, 0.5), " ", hard(0.25, 0.5)
    im = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    out = zeros(2, 3)
    parallel_do(size(out), im, out, $specialize(filter, taps == [1, 2, 1] && dir == [0, 1] && f == twice))
    print out
    parallel_do(size(out), im, out, $specialize(filter, type(im, mat'mirror) && taps == [1.0, 1.0, 1.0] && dir == [1, 0] && f == abs))
    print out
    g = $specialize(chosen, type(x, "int") && k == 3)
    h = $specialize(chosen, type(x, "scalar"))
    print g(5), " ", h(2.5, 1)
    c = $specialize(checked, n > 0)
    print c(5), " ", checked(-5)
    lambda = x -> x*x
    print $specialize(applied, f == lambda)(3.0), " ", $specialize(applied, f == sqrt)(16.0)
    for k = 1..2
        print $specialize(applied, f == twice)(k)
    endfor
    s = zeros(2)
    parallel_do(2, im, s, rows)
    print s
endfunction
