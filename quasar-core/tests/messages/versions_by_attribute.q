function [] = __kernel__ total(x : vec, y : vec, mode : int, blkpos : int, pos : int)
    {!specialize args=(mode == 0 || mode == 1)}
%   ^ Q0623 'total' stays one version: versions with barriers or shared memory of their own are not made
    s = shared(16)
    s[blkpos] = x[pos]
    syncthreads
    y[pos] = s[15 - blkpos]
endfunction
function y = chosen(k : int)
    {!specialize args=(k == 0 || k == nothing)}
%                                     ^ Q0201 unknown name 'nothing'
    y = k
endfunction
function [] = main(mode : int)
    print chosen(mode)
    x = zeros(16)
    y = zeros(16)
    parallel_do(16, x, y, mode, total)
endfunction
