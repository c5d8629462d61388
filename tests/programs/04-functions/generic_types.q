function y = filled[T](n, value : T)
    y = zeros[T](n)
    for k = 0..n-1
        y[k] = value
    endfor
endfunction
function y = biggest[T](x : T)
    y = maxvalue(T)
endfunction
print filled(2, 7), filled(2, 0.5), " ", biggest(1)
print filled[scalar](2, 3)
