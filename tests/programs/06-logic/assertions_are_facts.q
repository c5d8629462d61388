% What an assertion says decides the conditions behind it, until the variable is assigned.
function y = classify(n : int)
    assert(n >= 0)
    y = "none"
    if n < 0
        y = 1 + zeros(3)
    elseif n == 0
        y = "zero"
    elseif n > 0
        y = "positive"
    else
        y = nothing(n)
    endif
    n = n - 2
    if n < 0
        y = strcat(y, ", small")
    endif
endfunction
print classify(0)
print classify(1)
print classify(2)
try
    print classify(-1)
catch ex
    print "caught"
endtry
