% Arrays without elements have extents that are not 0, along which every index lies inside. What a mode makes of the others is
% place 0, and there is nothing there.
function y : vec = read(x : mat'mirror, n : int)
    y = zeros(n)
    for k = 0..n-1
        y[k] = x[k, k] + x[k - 3, n - 1 - k]
    endfor
endfunction

function y : vec = read_last(x : cube'circular, n : int)
    y = zeros(n)
    for k = 0..n-1
        y[k] = x[k, k, 0] + x[0, k, k]
    endfor
endfunction

function y : vec = read_clamped(x : mat'clamped, n : int)
    y = zeros(n)
    for k = 0..n-1
        y[k] = x[k + n, k]
    endfor
endfunction

function y : vec = read_safe(x : mat'safe, n : int)
    y = zeros(n)
    for k = 0..n-1
        y[k] = x[k, k] + 1
    endfor
endfunction

function [] = main()
    n = 2000
    print(max(abs(read(zeros(0, n), n))), " ", max(abs(read(zeros(n, 0), n))))
    print(max(abs(read_last(zeros(0, n, 3), n))), " ", max(abs(read_last(zeros(3, n, 0), n))))
    print(max(abs(read_clamped(zeros(0, n), n))), " ", max(abs(read_clamped(zeros(n, 0), n))))
    print(sum(read_safe(zeros(0, n), n)), " ", sum(read_safe(zeros(n, 0), n)))
endfunction
