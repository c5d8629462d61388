% Nothing is decided here: sums may wrap around, loops change variables, NaN is neither less nor more.
function y = f(n : int, a : scalar, x : vec)
    y = 0
    if n + 1 > n
        y = y + 1
    endif
    if !(a < 2)
        if a >= 2
            y = y + 1
        endif
    endif
    assert(n > 0)
    m = n
    for k = 0..3
        if m > 0
            y = y + 1
        endif
        m = m - 1
    endfor
    while m < 3
        m = m + 1
        if m < 3
            y = y + 1
        endif
    endwhile
    repeat
        if n > 5
            continue
        endif
        m = 9
    until m == 9
    try
        m = 1
        error("text")
    catch ex
        if m == 1
            y = y + 1
        endif
    endtry
    if n > 3 || a > 1
        if n > 3
            y = y + 1
        endif
    endif
    assert(numel(x) == 3)
    x = zeros(n)
    if numel(x) == 3
        y = y + 1
    endif
endfunction
print f(1, 2.0, [1,2,3])
