function [] = __kernel__ claim(lock : ivec, winners : ivec, pos : int)
    old = (lock[0] <- (pos + 1, 0))
    if old == 0
        winners[0] += 1
    endif
endfunction
lock = vec[int](1)
winners = vec[int](1)
parallel_do(10, lock, winners, claim)
print winners, " ", lock[0] >= 1 && lock[0] <= 10
