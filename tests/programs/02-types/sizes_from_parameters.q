% Sizes that constants and type parameters give.
K = 3
function y = f(x : vec(K))
    y = numel(x)
endfunction
print f([1.0,2,3])
function r = t2[N](x : vec(2*N), k : vec(2*N+1))
    r = N
endfunction
print t2(zeros(4), zeros(5))
function [] = __kernel__ gk[N](x : cube(:,:,N), y : mat, pos : ivec2)
    s = 0.0
    for i = 0..N-1
        s += x[pos[0],pos[1],i]
    endfor
    y[pos] = s
endfunction
y = zeros(2,2)
parallel_do([2,2], ones(2,2,3), y, gk)
print y
a = ones(2,2,3)
[p, q] = size(a)[0..1]
print p, q
