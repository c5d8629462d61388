function y : scalar = __device__ f(g, x : scalar)
    y = x + g.size
endfunction
function y : scalar = __device__ h(g : thread_block, x : scalar)
    y = x
endfunction
function [] = __kernel__ k(x : vec, pos : int, this_thread_block : thread_block, coalesced_threads)
    x[pos] = this_thread_block.shfl(x[pos], 0)
%                              ^ Q0312 'shfl' belongs to groups of threads of a warp
    x[pos] = coalesced_threads.shfl(x[pos], 0.5)
%                                           ^ Q0312 the second argument of 'shfl' is an int, not 'scalar'
    x[pos] = coalesced_threads.shfl(complex(x[pos], 1.0), 0)
%            ^ Q0310 expected 'scalar', found 'cscalar'
    x[pos] = coalesced_threads.shfl("a", 0)
%                                   ^ Q0404 strings cannot be used
    x[pos] = coalesced_threads.shfl(x[pos])
%            ^ Q0312 'shfl' takes 2 arguments
    x[pos] = coalesced_threads.colour
%                              ^ Q0312 a group of threads has no property 'colour'
    x[pos] = this_thread_block.active_mask
%                              ^ Q0312 'active_mask' belongs to groups of threads of a warp
    x[pos] = coalesced_threads.wait()
%                              ^ Q0312 a group of threads has no method 'wait'
    x[pos] = coalesced_threads.partition(x[pos]).size
%                                        ^ Q0312 the size of a partition is a power of two up to 32
    x[pos] = coalesced_threads.partition(12).size
%                                        ^ Q0312 the size of a partition is a power of two up to 32
    x[pos] = coalesced_threads.all(x[pos])
%                                  ^ Q0312 'all' takes a condition, not 'scalar'
    x[pos] = f(coalesced_threads, x[pos])
    x[pos] = h(coalesced_threads, x[pos])
    x[pos] = h(x[pos], x[pos])
%              ^ Q0324 argument 'g' of 'h' must be 'thread_block', found 'scalar'
    group = this_thread_block.partition(4)
%   ^ Q0001 not supported yet: the group of threads 'group' in an inner function
    add = __device__ (a : scalar) -> a + group.size
    x[pos] = add(x[pos])
endfunction
parallel_do(4, zeros(4), k)
function [] = __kernel__ w(x : vec, pos : int, coalesced_threads : vec)
%                                                                  ^ Q0403 'coalesced_threads' is a thread_block
    x[pos] = 1
endfunction
parallel_do(4, zeros(4), w)
function [] = __kernel__ all_devices(x : vec, pos : int, this_multi_grid : thread_block)
    x[pos] = this_multi_grid.thread_idx
endfunction
multi_parallel_do(4, zeros(4), all_devices)
parallel_do(4, zeros(4), all_devices)
%                        ^ Q0403 kernel 'all_devices' has 'this_multi_grid', which 'parallel_do' does not give
