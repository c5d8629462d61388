% One array for two parameters is one array: what a kernel writes by one name it reads by the other.
function [] = __kernel__ twice(x : vec, y : vec, pos : int)
    y[pos] = x[pos] + 1
    y[pos] = x[pos] * 10
endfunction
function [] = __kernel__ running(x : vec, y : vec, pos : int)
    if pos > 0
        y[pos] = x[pos-1] + y[pos]
    endif
endfunction
function [] = __kernel__ both(x : vec, y : vec, z : vec, pos : int)
    x[pos] += 1
    y[pos] += 10
    z[pos] = x[pos] + y[pos]
endfunction
% Each position reads its own element first, so one array is as good as two.
function [] = __kernel__ own(x : cube(:,:,3), y : cube(:,:,3), pos : ivec2)
    for c = 0..2
        y[pos[0], pos[1], c] = 2 * x[pos[0], pos[1], c]
    endfor
endfunction
function [] = loop_within(x : cube(:,:,3), y : cube(:,:,3))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..2
                y[m,n,c] = x[m,n,c] + c
            endfor
        endfor
    endfor
endfunction
function [] = call_twice(a : vec, b : vec)
    parallel_do(numel(a), a, b, twice)
endfunction
function [] = call_running(a : vec, b : vec)
    serial_do(numel(a), a, b, running)
endfunction
function [] = call_own(a : cube(:,:,3), b : cube(:,:,3))
    parallel_do([size(a,0), size(a,1)], a, b, own)
endfunction
function [] = main()
    a = [1.0, 2, 3]
    parallel_do(3, a, a, twice)
    print a
    a = [1.0, 2, 3]
    serial_do(3, a, a, running)
    print a
    a = [1.0, 2, 3]
    parallel_do(3, a, a, a, both)
    print a
    a = [1.0, 2, 3]
    call_twice(a, copy(a))
    call_running(copy(a), a)
    print a
    % Where only the run can tell.
    call_twice(a, a)
    print a
    call_running(a, a)
    print a
    img = ones(2, 2, 3)
    call_own(img, img)
    print sum(img)
    loop_within(img, img)
    print sum(img)
endfunction
