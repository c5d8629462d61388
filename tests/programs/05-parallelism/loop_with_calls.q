function y : scalar = __device__ wave(x : scalar)
    y = x*(1 - x)
endfunction
bump = x -> x + 100
y = zeros(4)
for k = 0..4-1
    y[k] = bump(wave(k))
endfor
print y
