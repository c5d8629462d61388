% Parallel loops whose iterations share memory, wait for each other, and reduce what they share.
function y : vec = reversed(x : vec)
    y = zeros(numel(x))
    {!parallel for; blkdim=8}
    for m=0..numel(x)-1
        t : 'shared = uninit(8)
        t[mod(m,8)] = x[m]
        syncthreads
        y[m] = t[7 - mod(m,8)]
    endfor
endfunction
function y : vec = sums(x : vec)
    y = zeros(numel(x))
    {!parallel for; blkdim=8}
    for m=0..numel(x)-1
        t : 'shared = x[int(m/8)*8..int(m/8)*8+7]
        y[m] = sum(t) + 1000*max(t) - min(t) + mean(t)/8
    endfor
endfunction
function y : mat = tiles(im : mat)
    y = zeros(size(im))
    {!parallel for; blkdim=[4,4]}
    for m=0..size(im,0)-1
        for n=0..size(im,1)-1
            p = [m,n] - mod([m,n],4)
            t : 'shared = im[p[0]..p[0]+3, p[1]..p[1]+3]
            y[m,n] = t[mod(n,4), mod(m,4)] + mean(t)
        endfor
    endfor
endfunction
% Halves of a tile are added until one number is left.
function y : vec = tree(x : vec)
    y = zeros(int(numel(x)/8))
    {!parallel for; blkdim=8}
    for m=0..numel(x)-1
        t : 'shared = uninit(8)
        k = mod(m,8)
        t[k] = x[m]
        syncthreads
        h = 4
        while h > 0
            if k < h
                t[k] = t[k] + t[k+h]
            endif
            syncthreads
            h = int(h/2)
        endwhile
        if k == 0
            y[int(m/8)] = t[0]
        endif
    endfor
endfunction
x = float(0..23)
print reversed(x)
print sums(x)
print tiles(reshape(float(0..63), [8,8]))[3..4,:]
print tree(x)
