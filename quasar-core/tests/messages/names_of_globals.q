count = 1
function [] = f()
    count += 1
%   ^ Q0202 what a function assigns is local to it
endfunction
f()
print count
