% A loop whose iterations share memory: sums over windows.
function y = sums(x : vec, M : int)
    y = zeros(numel(x))
    {!parallel for; blkdim=4}
    for n=0..numel(x)-1
        B : 'shared = uninit(4)
        total = 0.0
        for k=0..n
            total += x[k]
        endfor
        B[mod(n,4)] = total
        y[n] = sum(B) + B[3-mod(n,4)]
    endfor
endfunction
print sums(0..7, 4)
