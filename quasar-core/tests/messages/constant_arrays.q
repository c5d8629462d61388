% optimised, with remarks
taps = [1, 2, 1] / 4
function [] = __kernel__ sums(x : vec, w : vec, v : vec, pos : int)
    x[pos] = w[0] + v[pos]
endfunction
function [] = __kernel__ kept(x : vec, w : vec, pos : int)
    {!kernel_transform disable="constprop"}
    x[pos] = w[0]
endfunction
function [] = main()
    x = zeros(4)
    parallel_do(4, x, [1, 2], [3, 4], sums)
%   ^ Q0501 The elements of 'w' are constants in 'sums'.
    parallel_do(4, x, [1, 2], kept)
    for i = 0..3
%   ^ Q0501 Automatic parallelization of the 1-dim FOR loop.
%   ^ Q0501 The elements of 'taps' are constants in 'opt__main_line15'.
        x[i] = taps[1]
    endfor
    {!kernel_transform disable="constprop"}
    for i = 0..3
%   ^ Q0501 Automatic parallelization of the 1-dim FOR loop.
        x[i] = taps[1]
    endfor
    x[0] = 3
endfunction
