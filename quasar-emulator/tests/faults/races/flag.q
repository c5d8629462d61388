% race ready 4 8
function [] = __kernel__ wait(x : vec, ready : ivec, y : vec, pos : int)
    if pos == 0
        ready[0] = 1
        x[1] = 5
    else
        % a plain read orders nothing
        if ready[0] == 1
            y[pos] = x[1]
        endif
    endif
endfunction
x = zeros(4)
ready = ivec(1)
y = zeros(4)
parallel_do(4, x, ready, y, wait)
