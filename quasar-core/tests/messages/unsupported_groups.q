function [] = __kernel__ k(x : vec, pos : int, this_thread_block : thread_block)
%                                              ^ Q0001 not supported yet: the special parameter 'this_thread_block' (a group of threads)
    x[pos] = this_thread_block.thread_idx
endfunction
function [] = __kernel__ w(x : vec, pos : int, coalesced_threads)
%                                              ^ Q0001 not supported yet: the special parameter 'coalesced_threads' (a group of threads)
    x[pos] = coalesced_threads.shfl(x[pos], 0)
endfunction
function [] = main()
    x = zeros(2)
    parallel_do(2, x, k)
    parallel_do(2, x, w)
endfunction
