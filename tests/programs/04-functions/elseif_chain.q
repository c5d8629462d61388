function y = grade(x)
    if x >= 90
        y = "high"
    elseif x >= 50
        y = "middle"
    elseif x >= 0
        y = "low"
    else
        y = "none"
    endif
endfunction
print grade(95), " ", grade(50), " ", grade(49.5), " ", grade(-1)
