% optimised
function [] = main()
    x = ones(16)
    y = zeros(16)
    for m=0..15
%   ^ Q0405 For-loop will be interpreted: it waits for other iterations
        syncthreads
%       ^ Q0405 syncthreads belongs into kernel functions and parallel loops write `{!parallel for; blkdim=..}` before
        y[m] = x[m]
    endfor
    {!parallel for; blkdim=8}
    for m=0..15
        T : 'shared = x[m..m+3]
%                     ^ Q0410 'T' is shared by the threads of a block, but this value depends on their positions
        y[m] = T[0]
    endfor
    {!parallel for; blkdim=8}
    for m=0..15
        k = m - mod(m,4)
        U : 'shared = x[k..k+3]
%                     ^ Q0410 'U' is shared by the threads of a block, but this value depends on their positions
        y[m] = U[0]
    endfor
endfunction
