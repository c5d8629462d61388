% arguments: 3
% What is missing has its default, which may use parameters before it; the rest is empty.
function y = main(count, scale : scalar = count + 0.5, word = "none", ...rest : vec[string])
    print count, " ", scale, " ", word, " ", numel(rest)
    y = count
endfunction
print "before main"
