% optimised, with remarks
function [] = __kernel__ k(x : vec, y : vec, n : int, pos : int)
    {!unroll}
%   ^ Q0501 Loop unrolling: all 3 rounds.
    for j = 0..2
        y[pos] += x[pos + j]
    endfor
    {!unroll}
%   ^ Q0419 the loop is not unrolled: the number of rounds is not known at compile time
    for j = 0..n
        y[pos] += x[pos + j]
    endfor
    {!unroll times=4}
%   ^ Q0501 Loop unrolling: 4 rounds at a time.
    for j = 0..n
        y[pos] += x[pos + j]
    endfor
    {!unroll times=4}
%   ^ Q0419 the loop is not unrolled: `break` or `continue` leaves its rounds
    for j = 0..n
        if x[pos + j] < 0
            break
        endif
        y[pos] += x[pos + j]
    endfor
    {!unroll times=2; interleave=true}
%   ^ Q0501 Loop unrolling: 2 rounds at a time.
    for j = 0..n
        a = 2 * x[pos + j]
        y[pos] += a
    endfor
    {!unroll times=2; interleave=true}
%   ^ Q0419 the rounds of the loop are not interleaved: two statements use an array that one of them changes
%   ^ Q0501 Loop unrolling: 2 rounds at a time.
    for j = 0..n
        a = 2 * x[pos + j]
        x[pos + j] = a + 1
    endfor
    s = 0.0
    {!unroll times=2; interleave=true}
%   ^ Q0419 the rounds of the loop are not interleaved: a statement needs what another one left in the round before
%   ^ Q0501 Loop unrolling: 2 rounds at a time.
    for j = 0..n
        a = s + 1
        s += a
    endfor
    y[pos] += s
endfunction
function [] = main(n : int)
    x = zeros(20)
    y = zeros(8)
    parallel_do(8, x, y, n, k)
    {!unroll times=2}
%   ^ Q0419 the loop is not unrolled: it became a kernel, its rounds are positions
    for j = 0..7
%   ^ Q0501 Automatic parallelization of the 1-dim FOR loop.
        y[j] = j
    endfor
    {!unroll times=2}
%   ^ Q0501 Loop unrolling: 2 rounds at a time.
    {!interpreted for}
    for j = 0..7
        print y[j]
    endfor
endfunction
