% What facts decide is cut, and what is cut is not typed.
function y = f(n : int, x : mat)
    assert(n > 2 && n < 6)
    y = 0
    if n > 1
        y = 1
    else
        y = "text" + zeros(2)
    endif
    if n >= 6
%      ^ Q0602 if-branch is cut due to the assertions
        y = "text" + zeros(2)
    endif
    if n == 3
        y = 2
    elseif n == 4
        y = 3
    elseif n != 5
%          ^ Q0602 if-branch is cut
        y = nothing(3)
    endif
    z = copy(x)
    if size(z) == size(x)
        y = 4
    else
        y = nothing(3)
    endif
    y = n < 10 ? y : nothing(4)
    if y > 3 && (n < 2 || size(z,1) != size(x,1))
%      ^ Q0602 if-branch is cut
        y = nothing(5)
    endif
    while n > 10
        y = nothing(6)
    endwhile
endfunction
print f(3, zeros(2,2))
