function [] = __kernel__ turn(x : cvec, y : cvec, pos : int)
    y[pos] = 1j*x[pos] + conj(x[pos])
endfunction
x = [1+2j, 3, 1j]
y = czeros(3)
parallel_do(3, x, y, turn)
print y
