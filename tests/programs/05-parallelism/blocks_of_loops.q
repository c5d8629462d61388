y = zeros(4,4)
{!parallel for; blkdim=[2,2]}
for m = 0..3
    for n = 0..3
        y[m,n] = 10*m + n
    endfor
endfor
print y[3,:], y[:,0]
