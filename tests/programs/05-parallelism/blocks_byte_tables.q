% Counting bytes: out of range nothing happens, or in the mode 'checked there is an error.
function [] = __kernel__ count(x : vec[uint8], h : vec, pos : int)
    h[x[pos]] += 1
endfunction
function [] = __kernel__ count_all(x : vec[uint8], h : vec'checked, pos : int)
    h[x[pos]] += 1
endfunction
x = vec[uint8](600)
for k = 0..599
    x[k] = mod(k, 6)
endfor
h = zeros(4)
parallel_do(600, x, h, count)
print h
try
    parallel_do(600, x, h, count_all)
catch ex
    print ex
endtry
