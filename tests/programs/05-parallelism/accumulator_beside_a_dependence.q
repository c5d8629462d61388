% The stores collide, however the sum beside them is written.
function [] = main()
    total = 0
    x = zeros[int](3)
    for k = 0..8
        x[mod(k, 3)] = k
        total -= 17 + k
    endfor
    print x, total
endfunction
