function y = power[N : int](x)
    y = 1.0
    for k = 1..N
        y *= x
    endfor
endfunction
print power[3](2.0), " ", power[0](5.0)
