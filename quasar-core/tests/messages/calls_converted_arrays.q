function [] = change(x : vec)
    x[0] = 1.5
endfunction
function [] = turn(x : cvec)
    x[0] = 1i
endfunction
function [] = __device__ clear(x : vec2)
    x[0] = 0
endfunction
function [] = __kernel__ fill(y : vec, pos : int)
    v = [1,2]
    clear(v)
%         ^ Q0001 not supported yet: device code that converts an array for a function which writes to it
    y[pos] = v[1]
endfunction
function [] = main()
    numbers = [1,2,3]
    change(numbers)
%          ^ Q0314 'change' writes to this array, which is converted from 'ivec(3)' to 'vec' for the call and back after it
    turn(numbers)
%        ^ Q0324 'turn' writes to this array, which is converted from 'ivec(3)' to 'cvec' for the call and cannot be converted
    turn([1.0,2])
    y = zeros(4)
    parallel_do(4, y, fill)
endfunction
