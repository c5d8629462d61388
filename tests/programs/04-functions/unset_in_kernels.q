% Kernels: what they are given is tested before the launch, their own variables where they are read.
function [] = __kernel__ own(x : vec, y : vec, pos : int)
    if x[pos] > 0
        t = x[pos]
    endif
    if x[pos] > -1
        y[pos] = 2 * t
    endif
endfunction
function [] = __kernel__ given(y : vec, t : scalar, pos : int)
    y[pos] = t
endfunction
function [] = __kernel__ rounds(y : vec, n : int, pos : int)
    for k = 1..n
        last = k * pos
    endfor
    y[pos] = last
endfunction
function r = __device__ helper(x : scalar)
    if x > 2
        r = x
    endif
endfunction
function [] = __kernel__ calls(x : vec, y : vec, pos : int)
    y[pos] = helper(x[pos])
endfunction
function [] = launch(x : vec)
    y = zeros(numel(x))
    parallel_do(numel(x), x, y, own)
    print y
endfunction
function [] = pass(c : int)
    y = zeros(2)
    if c > 0
        t = 1.5
    endif
    parallel_do(2, y, t, given)
    print y
endfunction
function [] = capture(c : int)
    y = zeros(2)
    if c > 0
        t = 1.5
    endif
    parallel_do(2, __kernel__ (pos : int) -> y[pos] = t + pos)
    print y
endfunction
function [] = loops(n : int)
    y = zeros(3)
    parallel_do(3, y, n, rounds)
    print y
endfunction
function [] = called(x : vec)
    y = zeros(numel(x))
    parallel_do(numel(x), x, y, calls)
    print y
endfunction
function [] = host_loop(c : int)
    y = zeros(100)
    if c > 0
        t = 1.5
    endif
    try
        for k = 0..99
            y[k] = t * k
        endfor
        print sum(y)
    catch e
        print "an error in the loop"
    endtry
endfunction
function [] = kept(c : int)
    y = zeros(100)
    if c > 0
        t = 7
    endif
    for k = 0..99
        if y[k] > 5 || c > 1
            t = k
        endif
    endfor
    print t
endfunction
function [] = found(x : vec)
    for k = 0..numel(x)-1
        if x[k] == 4
            at = k
        endif
    endfor
    print at
endfunction
function [] = attempt(f, c)
    try
        f(c)
    catch e
        print e.message
    endtry
endfunction
attempt(x -> launch(x), [1,2])
attempt(x -> launch(x), [1,0])
attempt(x -> launch(x), [1,-1])
attempt(x -> called(x), [3,4])
attempt(x -> called(x), [3,1])
attempt(x -> found(x), [3,4])
attempt(x -> found(x), [3,1])
for c = 2..-1..0
    attempt(c -> pass(c), c)
    attempt(c -> capture(c), c)
    attempt(c -> loops(c), c)
    attempt(c -> host_loop(c), c)
    attempt(c -> kept(c), c)
endfor
