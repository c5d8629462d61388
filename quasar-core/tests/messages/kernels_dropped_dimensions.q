function [] = __kernel__ two(x : cube(:,:,3), pos : ivec2)
    for k = 0..2
        x[...pos, k] = 1
    endfor
endfunction
function [] = __kernel__ linear(x : cube(:,:,3), pos : int)
    x[0,0,0] = pos
endfunction
function [] = run(img : cube(:,:,3), gray : cube(:,:,1))
    parallel_do(size(img), img, two)
%               ^ Q0407 the launch of 'two' runs over the first 2 of 3 dimensions and drops 3
    parallel_do([size(img,0), size(img,1)], img, two)
    parallel_do(size(img), img, linear)
    parallel_do([[4, 4, 3], [2, 2, 1]], img, two)
%                ^ Q0407 drops 3
    parallel_do([4, 4, 1], img, two)
endfunction
