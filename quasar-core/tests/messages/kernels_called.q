function [] = __kernel__ add(a : vec, b : vec, c : vec, pos : int)
    c[pos] = a[pos] + b[pos]
endfunction
c = add(ones(3), ones(3))
%   ^ Q0401 kernel function 'add' cannot be called; launch it with parallel_do
if 1
    add(ones(3), ones(3), zeros(3))
%   ^ Q0401 kernel function 'add' cannot be called; launch it with parallel_do
endif
