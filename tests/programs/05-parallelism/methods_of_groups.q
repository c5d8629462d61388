% Every property and method of groups of threads, in groups of one.
function [] = __kernel__ g(y : mat, coalesced_threads : thread_block, this_thread_block, pos : int)
    t = coalesced_threads
    y[pos,0] = t.shfl(pos, t.thread_idx) 
    y[pos,1] = t.shfl_up(pos, 0) + t.shfl_down(pos, 0) + t.shfl_xor(pos, 0)
    y[pos,2] = t.all(1) + t.any(0)
    y[pos,3] = t.size >= 1
    p = this_thread_block.partition(1)
    y[pos,4] = p.size + p.ballot(1) + p.match_any(3) + p.match_all(3) + (p.active_mask > 0)
    v = p.shfl([1.0,2,3], 0)
    y[pos,5] = v[1]
    p.sync()
endfunction
y = zeros(2,6)
parallel_do(2, y, g)
print y
