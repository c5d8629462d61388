function y = total(x : vec)
    for k = 0..numel(x)-1
        s = s + x[k]
%           ^ Q0202 's' is read here before it is assigned
    endfor
    y = s
endfunction
function [] = __kernel__ collatz(y : ivec, pos : int)
    while n != 1
%         ^ Q0202 'n' is read here before it is assigned
        n = shr(n, 1)
%               ^ Q0202 'n' is read here before it is assigned
    endwhile
endfunction
y = vec[int](7)
parallel_do(7, y, collatz)
