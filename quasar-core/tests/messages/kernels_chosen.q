function [] = __kernel__ one(x : vec, pos : int)
    x[pos] = 1
endfunction
function [] = __kernel__ two(x : vec, pos : int)
    x[pos] = 2
endfunction
function s : scalar = __kernel__ sums(x : vec, pos : int)
    s += x[pos]
endfunction
function [] = __kernel__ fixed(x : vec(3), pos : int)
    x[pos] = 2
endfunction
function [] = main(n : int)
    x = zeros(4)
    parallel_do(4, x, n > 1 ? one : sums)
%                     ^ Q0403 the kernels that may be launched here give results of different types
    parallel_do(4, x, n > 1 ? one : (x -> x))
%                     ^ Q0403 'lambda' is not a kernel function
    print max_block_size(n > 1 ? one : two, [4])
%                        ^ Q0001 asking about a kernel that is chosen at run time
    schedule(4, x, {n > 1 ? one : two, two})
%                   ^ Q0001 choosing a kernel of a 'schedule' at run time
    parallel_do(4, zeros(2,2), fixed)
%                  ^ Q0324 argument 'x' of 'fixed' must be 'vec(3)', found 'mat(2,2)'
endfunction
