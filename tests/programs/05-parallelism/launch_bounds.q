% Bounds of blocks, names, kernels for the processor, and parameters of attributes.
function [] = __kernel__ sums(x : vec, y : vec, pos : int, blkpos : int, blkdim : int, blkidx : int)
    {!cuda_launch_bounds max_threads_per_block=64; min_blocks=2}
    {!kernel name="block_sums"}
    s = shared(256)
    s[blkpos] = x[pos]
    syncthreads
    if blkpos == 0
        for k=0..blkdim-1
            y[blkidx] += s[k]
        endfor
        y[3] = blkdim
    endif
endfunction

function [] = __kernel__ plane(y : mat, pos : ivec2, blkdim : ivec2)
    {!tuning_param name="$threads"; range=[32,64,128]; default=32; desc="threads of a block"}
    {!cuda_launch_bounds max_threads_per_block=$threads}
    y[pos] = 100*blkdim[0] + blkdim[1]
endfunction

function [] = __kernel__ here(x : vec, pos : int)
    {!kernel target="cpu"}
    x[pos] = 2*x[pos]
endfunction

x = ones(192)
y = zeros(4)
parallel_do(192, x, y, sums)
print y
z = zeros(20,40)
parallel_do(size(z), z, plane)
print z[0,0], z[19,39]
parallel_do(192, x, here)
print sum(x)
