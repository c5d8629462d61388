total = 1
function y = scaled(x)
    y = x*total
endfunction
print scaled(5)
total = 3
print scaled(5)
function [] = local_only()
    total = 50
endfunction
local_only()
print total
