% Blocks that do not divide the launch: the threads that fill them up count nothing.
function [] = __kernel__ histogram(im : mat, hist : vec, pos : ivec2)
    S : 'shared = zeros(4)
    S[int(im[pos])] += 1
    hist[:] += S
endfunction
function [] = __kernel__ largest(x : vec, most : vec, pos : int)
    S : 'shared = zeros(1)
    S[0] ^^= 10 - x[pos]
    most[:] ^^= S
endfunction

x = zeros(6, 7)
for i = 0..5
    for j = 0..6
        x[i, j] = mod(i + j, 3)
    endfor
endfor
hist = zeros(4)
parallel_do([[6, 7], [4, 4]], x, hist, histogram)
print hist, sum(hist)
most = zeros(1)
parallel_do([[5], [4]], [4, 5, 6, 7, 8], most, largest)
print most
