% What a failed launch wrote is not converted, nor is it an index.
function [] = roots(x : vec, y : vec)
    function [] = __kernel__ kernel(x : vec'unchecked, y : vec'unchecked, pos : int)
        assert(x[pos] >= 0, "negative: ", x[pos])
        y[pos] = sqrt(x[pos])
    endfunction
    parallel_do(numel(y), x, y, kernel)
endfunction
function y : vec[scalar'double] = converted(x : vec)
    y = zeros(numel(x))
    z = zeros(numel(x))
    roots(x, z)
    y = z
endfunction
function y : vec = indexed(x : vec, places : vec)
    z = zeros(numel(places))
    roots(places, z)
    y = x[z]
endfunction
function [] = attempt(x : vec)
    try
        print converted(x)
    catch ex
        print "converted: ", ex.message
    endtry
    try
        print indexed([5, 6, 7, 8], x)
    catch ex
        print "indexed: ", ex.message
    endtry
endfunction
attempt([1.0, 4.0, 9.0])
attempt([1.0, -4.0, 9.0])
