function [] = main(n = 3, text = "none", ...rest)
    print n + 1, " ", text, " ", numel(rest)
endfunction
