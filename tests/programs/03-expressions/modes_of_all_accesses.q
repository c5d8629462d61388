% Boundary modes of reads, slices, positions and writes, on the host, in kernels and in device functions.
function [] = bad(s : string, n : int) 
    x : ivec(2) = [1,2]
    print s[n]
endfunction
try
    bad("abc", 3)
catch e
    print e.message
endtry
function y = __device__ at(x : vec, i : int)
    y = x[i]
endfunction
print at([1.0,2], 5)
z = [1.0,2]
try
    print z[int(z[1])]
catch e
    print e.message
endtry
function [] = __kernel__ circ(x : mat'circular, y : mat, pos : ivec2)
    y[pos] = x[pos[0]-5, pos[1]+7] + sum(x[pos[0]-1..pos[0]+1, pos[1]])
    x[-1,-1] = 100
endfunction
y = zeros(2,2)
a = [[1.0,2],[3,4]]
parallel_do([2,2], a, y, circ)
print y, a
function [] = __kernel__ cl(x : mat'clamped, m : mat'mirror, y : mat, pos : ivec2)
    y[pos] = x[pos - 5] + 10 * x[pos + 5] + 100 * m[pos - 2] + 1000 * m[pos[0], pos[1] + 2]
endfunction
parallel_do([2,2], a, a, y, cl)
print y
m : 'mirror = [0,1,2,3]
print m[-3..6], m[-9], m[100]
q : 'safe = zeros(2,2) + 1
print q[5,5], q[[1,7]], q[-1,:], q[0,-1..2]
C : 'circular = [[1,2],[3,4]]
C[[0,5]] = 9
C[0,-1] = 9
print C
