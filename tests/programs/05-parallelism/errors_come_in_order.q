% An error of a kernel comes before whatever the program does after the launch, also where launches do not wait.
seen = 0
function [] = check(x : vec, y : vec)
    function [] = __kernel__ kernel(x : vec'unchecked, y : vec'unchecked, pos : int)
        assert(x[pos] >= 0, "negative: ", x[pos])
        y[pos] = sqrt(x[pos])
    endfunction
    parallel_do(numel(y), x, y, kernel)
endfunction
function [] = twice(x : vec, y : vec)
    function [] = __kernel__ kernel(x : vec'unchecked, y : vec'unchecked, pos : int)
        assert(x[pos] < 100, "large: ", x[pos])
        y[pos] = 2 * x[pos]
    endfunction
    parallel_do(numel(y), x, y, kernel)
endfunction
function [] = walk(x : vec, y : vec)
    function [] = __kernel__ kernel(x : vec'unchecked, y : vec'unchecked, pos : int)
        n = 0
        v = x[pos]
        while v != 1
            v = v - 1
            n += 1
        endwhile
        y[pos] = n
    endfunction
    parallel_do(numel(y), x, y, kernel)
endfunction

good = [1.0, 4.0, 9.0]
bad = [4.0, -1.0, 16.0]
y = zeros(3)
z = zeros(3)

try
    check(good, y)
    check(bad, z)
    print "not printed"
catch ex
    print "1: ", ex.message
endtry
try
    check(bad, y)
    seen = 1
    twice([1000.0, 1000.0, 1000.0], z)
catch ex
    print "2: ", ex.message
endtry
print "seen ", seen
% The errors of launches before a block are not its own.
try
    try
        check(bad, y)
        try
            print "not printed"
        catch ex
            print "not caught here"
        endtry
    catch inner
        print "3: ", inner.message
        check(bad, z)
        error("not the first")
    endtry
catch ex
    print "4: ", ex.message
endtry
% A store on the host after a failed launch does not happen.
w = [7.0, 7.0, 7.0]
try
    check(bad, y)
    w[1] = 0
catch ex
    print "5: ", ex.message
endtry
print w
% What follows would not end with what the failed launch left.
try
    t = zeros(3)
    check([1.0, -1.0, 1.0], t)
    walk(t, z)
catch ex
    print "6: ", ex.message
endtry
% A loop is left in time, also out of a block.
for k = 0..3
    try
        check([1.0, 1.0, 2.0 - k], y)
        if k == 3
            break
        endif
    catch ex
        print "7: ", k, " ", ex.message
    endtry
endfor
s = 0.0
try
    check(bad, y)
    for k = 0..2
        s += good[k]
    endfor
    error("sum ", s)
catch ex
    print "8: ", ex.message
endtry
for k = 0..40
    twice(good, y)
    twice(y, z)
endfor
print z
