% race x 5
function [] = shift(x : vec)
    {!parallel for}
    for k = 0..14
        x[k] = x[k + 1]
    endfor
endfunction
x = float(0..15)
shift(x)
print x
