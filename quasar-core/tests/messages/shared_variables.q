function [] = __kernel__ k(x : vec, y : vec, n : int, pos : int)
    S : 'shared = x[pos..pos+3]
%                 ^ Q0410 'S' is shared by the threads of a block, but this value depends on their positions
    if x[pos] > 1
        T : 'shared = x[0..3]
%                     ^ Q0001 not supported yet: a value for an array that is declared 'shared where not all threads of the block come by
        y[pos] = T[0]
    endif
    for i=1..n
        U : 'shared = x[0..i]
%                     ^ Q0001 not supported yet: shared memory in a loop or branch whose size is computed in the kernel
        y[pos] += U[0]
    endfor
    V : 'shared = x[0..3]
    V = V[[3,2,1,0]]
%       ^ Q0001 not supported yet: a value for an array that is declared 'shared made of other elements of the same array
    W : 'shared = linspace(0,1,n)
%                 ^ Q0001 not supported yet: an array of this form in shared memory
    y[pos] = S[0] + V[0] + W[0]
endfunction
function [] = main()
    x = zeros(8)
    y = zeros(8)
    parallel_do(8, x, y, 3, k)
    for i=0..7
        Z : 'shared = x[0..3]
%       ^ Q0411 `'shared` has no effect on 'Z': this is no kernel
        y[i] = Z[mod(i,4)]
    endfor
endfunction
