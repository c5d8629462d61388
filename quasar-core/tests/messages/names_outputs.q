function [a, b] = half_done(x)
%            ^ Q0203 output 'b' of 'half_done' is not assigned
    a = x
endfunction
function y = sometimes(x : int)
    if x > 0
        y = 1
    endif
endfunction
print half_done(1), sometimes(2)
