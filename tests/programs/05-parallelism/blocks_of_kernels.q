% Blocks that programs ask for: the largest that a kernel may have is accepted, and the usual one is that of ordinary launches.
function [] = __kernel__ extents(y : mat, seen : ivec, pos : ivec2, blkdim : ivec2)
    y[pos] = pos[0] + pos[1]
    if sum(pos) == 0
        seen[0] = blkdim[0]
        seen[1] = blkdim[1]
    endif
endfunction

% A row of 24 numbers for each thread: the memory of a block is not enough for 1024 of them.
function [] = __kernel__ rows(y : vec, pos : int, blkpos : int, blkdim : int)
    s = shared(blkdim, 24)
    for k=0..23
        s[blkpos,k] = k*pos
    endfor
    syncthreads
    total = 0.0
    for k=0..23
        total += s[blkpos,k]
    endfor
    y[pos] = total
endfunction

% Each block has its elements and a rim around them, 16 numbers for each.
function [] = __kernel__ rim(x : mat, y : mat, pos : ivec2, blkpos : ivec2, blkdim : ivec2)
    s = shared(blkdim[0]+2, blkdim[1]+2, 16)
    s[blkpos[0]+1, blkpos[1]+1, 15] = x[pos]
    syncthreads
    y[pos] = 2*s[blkpos[0]+1, blkpos[1]+1, 15]
endfunction

function [] = __kernel__ bounded(y : mat, pos : ivec2, blkdim : ivec2)
    {!cuda_launch_bounds max_threads_per_block=64}
    y[pos] = prod(blkdim)
endfunction

function [] = __kernel__ any_type(y, pos : int)
    y[pos] = 3
endfunction

function [] = __kernel__ in_space(y : cube, pos : ivec3, blkdim : ivec3)
    y[pos] = prod(blkdim)
endfunction

function b = within(block, requested)
    b = prod(block) <= 1024
    for k=0..numel(requested)-1
        b = b && block[k] >= 1 && block[k] <= requested[k]
    endfor
endfunction

function [] = usual(m : int, n : int)
    y = zeros(m, n)
    seen = [0,0]
    parallel_do([m,n], y, seen, extents)
    block = opt_block_size(extents, [m,n])
    print sum(abs(block - seen)), " ", prod(block) <= 1024
    y2 = zeros(m, n)
    asked = [0,0]
    parallel_do([size(y2), block], y2, asked, extents)
    print sum(abs(asked - seen)), " ", sum(abs(y - y2))
endfunction
usual(32, 64)
usual(5, 7)
usual(17, 1009)

function [] = largest(requested : ivec2)
    block = max_block_size(extents, requested)
    y = zeros(70, 90)
    seen = [0,0]
    parallel_do([size(y), block], y, seen, extents)
    print within(block, requested), " ", sum(abs(block - seen)), " ", sum(y)
endfunction
largest([16,32])
largest([64,64])
largest([1000,3])

block = max_block_size(rows, 1024)
y = zeros(300)
parallel_do([[300], block], y, rows)
print 96*block[0] <= 48*1024, " ", block[0] >= 32, " ", sum(y)

block = max_block_size(rim)
x = ones(40,50)
y = zeros(40,50)
parallel_do([size(x), block], x, y, rim)
print 64*(block[0]+2)*(block[1]+2) <= 48*1024, " ", prod(block) >= 64, " ", sum(y)

block = max_block_size(bounded, [32,32])
y = zeros(16,16)
parallel_do([size(y), block], y, bounded)
print prod(block) <= 64, " ", max(y) == prod(block)
parallel_do(size(y), y, bounded)
print max(y) <= 64, " ", max(y) == prod(opt_block_size(bounded, size(y)))

% One block for both types.
block = max_block_size(any_type)
f = zeros(50)
i = int(zeros(50))
parallel_do([[50], block], f, any_type)
parallel_do([[50], block], i, any_type)
print sum(f), " ", sum(i), " ", prod(block) <= 1024

block = max_block_size(in_space, [64,64,4])
y = zeros(6,7,8)
parallel_do([size(y), block], y, in_space)
print within(block, [64,64,4]), " ", max(y) == prod(block), " ", min(y) == prod(block)
parallel_do(size(y), y, in_space)
print max(y) == prod(opt_block_size(in_space, size(y)))

k = __kernel__ (pos) -> x[pos] = 2.0
parallel_do([size(x), max_block_size(k)], k)
print sum(x)
print numel(opt_block_size(in_space)), " ", numel(max_block_size(rows)), " ", numel(max_block_size(in_space))
print max_block_size([16,32]), " ", prod(max_block_size([100,100,4])) <= 1024
