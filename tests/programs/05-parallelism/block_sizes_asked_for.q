% The sizes of blocks that launches would choose and allow, also for sizes known at run time only.
function [] = __kernel__ fill(y : mat, pos : ivec2)
    y[pos] = pos[0] + pos[1]
endfunction
function [] = show(m : int, n : int)
    y = zeros(m, n)
    block = opt_block_size(fill, size(y))
    print prod(block) <= 1024
    print max_block_size(fill, [m, n])
    parallel_do([size(y), block], y, fill)
    print sum(y)
endfunction
show(32, 64)
show(5, 7)
print max_block_size([16,32])
print prod(max_block_size([100,100,4])) <= 1024
print prod(max_block_size(fill)) <= 1024
try
    print max_block_size([0,4])
catch error
    print "refused"
endtry
