function [] = __kernel__ bits(y : ivec, pos : int)
    y[0] |= shl(1, pos)
    y[1] &= not(shl(1, pos))
    y[2] ~= 1
    y[3] ^^= pos
    y[4] __= -pos
    y[5] -= 2
endfunction
y = [0,15,0,0,0,0]
parallel_do(3, y, bits)
print y
