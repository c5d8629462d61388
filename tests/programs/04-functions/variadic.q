function s = total(...args)
    s = 0
    for k = 0..numel(args)-1
        s = s + args[k]
    endfor
endfunction
function n = count(first, ...rest)
    n = numel(rest)
endfunction
print total(), " ", total(1), " ", total(1,2,3.5)
print count("a"), count(1,2,3)
