function [] = __kernel__ classify(y : ivec, pos : int)
    match pos with
    | 0 -> y[pos] = 10
    | (1, 2) -> y[pos] = 20
    | _ -> y[pos] = 30
    endmatch
endfunction
y = vec[int](5)
parallel_do(5, y, classify)
print y
