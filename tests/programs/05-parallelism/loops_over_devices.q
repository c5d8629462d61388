% Iterations go round the devices, whether they depend on each other or not.
function [] = add(x : mat, y : mat, a : scalar)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = x[m,n] + a
        endfor
    endfor
endfunction

function [] = main()
    images = {ones(2,3), 2*ones(2,3), 3*ones(2,3), 4*ones(2,3), 5*ones(2,3)}
    results = {zeros(2,3), zeros(2,3), zeros(2,3), zeros(2,3), zeros(2,3)}
    {!parallel for; multi_device=true}
    for k = 0..4
        y = zeros(2,3)
        add(images[k], y, 10*k)
        results[k] = y + y
    endfor
    for k = 0..4
        print sum(results[k])
    endfor
    % Each iteration needs what the one before has made.
    x = zeros(2,3)
    {!unroll times=2; multi_device=true}
    for k = 1..2..9
        add(x, x, k)
        if k == 7
            break
        endif
    endfor
    print x[1,2], " ", k
    % Steps of one loop, on whole arrays.
    {!unroll times=3; multi_device=true}
    for a = [0.5, 0.25]
        x = x .* a + x
    endfor
    print x[0,0]
    % No iteration.
    {!unroll times=2; multi_device=true}
    for k = 3..1
        add(x, x, 1)
    endfor
    print sum(x)
    % One kernel, which they share.
    {!parallel for; multi_device=true}
    for k = 0..2
        x[1,k] = k
    endfor
    print x
endfunction
