% Loops keep to the bounds that they had when they began, also where iterations, or positions of a launch, store to the elements
% that the bounds were computed of.
function [] = down(y : ivec, r : ivec)
    for i = 0..2..numel(y)-1
        last = y[1]
        for j = r[1]..-1..last
            r[j] = mod(r[j] + y[j], numel(y))
        endfor
    endfor
    print r
endfunction

% The variable keeps the last value, which is computed of where the loop began.
function [] = up(r : vec, n : int)
    j = 0
    for j = int(r[2])..n-1
        r[j] = r[j] + 10
    endfor
    print r, " ", j
endfunction

function [] = from_the_least(r : vec, n : int)
    for j = int(min(r))..n-1
        r[j] -= 2
    endfor
    print r
endfunction

function [] = main()
    down(int([3, 1, 4, 2, 0]), int([4, 2, 0, 3, 1]))
    down(int([0, 0, 0, 0, 0]), int([4, 2, 0, 3, 1]))
    up([4, 3, 2, 1, 0], 5)
    from_the_least([3, 4, 5, 2, 6], 5)
endfunction
