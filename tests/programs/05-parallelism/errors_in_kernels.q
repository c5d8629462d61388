function [] = __kernel__ check(x : vec, y : vec, pos : int)
    if x[pos] < 0
        error("negative value")
    endif
    y[pos] = sqrt(x[pos])
endfunction
y = zeros(2)
parallel_do(2, [4.0,9], y, check)
print y
try
    parallel_do(2, [4.0,-9], y, check)
    print "not reached"
catch ex
    print "caught"
endtry

% Messages say how the kernel was launched.
function [] = __kernel__ strict(x : vec, y : vec, pos : int)
    assert(x[pos] > 0)
    y[pos] = x[pos]
endfunction
try
    parallel_do(2, [4.0,-9], y, strict)
catch ex
    print ex.message
endtry
try
    serial_do(2, [4.0,-9], y, strict)
catch ex
    print ex.message
endtry
