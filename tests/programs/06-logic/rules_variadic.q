% Rules for any number of arguments.
function y : scalar = total(items)
    y = 0
    for i = 0..numel(items)-1
        y += items[i]
    endfor
endfunction
function [] = log(name : string, ...items)
    print name, ": ", items
endfunction
reduction (...a) -> mysum(...a) = total({...a})
reduction (first, ...others) -> format(first, ...others) = first + numel({...others})
reduction (...v : vec) -> joined(...v) = [...v]
reduction (...v) -> joined(...v) = numel({...v})
reduction (...a) -> trace(...a) = log("trace", ...a)
reduction (x, ...k) -> x[...k, 7] = [...k]
function [] = main()
    print mysum(1, 2, 3), " ", mysum(5)
    print format(1.5, 2, 3), " ", format(1.5)
    print joined([1.0, 2.0], [3.0, 4.0])
    print joined(1, "a")
    trace(1, 2)
    x = zeros(9, 9, 9)
    print x[3, 4, 7]
endfunction
