% What fails inside of an expression fails there; a branch that always fails gives no value.
function y = h(x : int)
    y = x > 1 ? (error("late"); 1) : 2
endfunction
function y = k(x : int)
    y = x > 1 ? 5 : (error("small ", x); 1)
endfunction
function y = l(x : int)
    y = x > 1 && (error("right"); 1)
endfunction
function y = m(x : int)
    y = x > 1 || (error("right of or"); 1)
endfunction
function y = both(x : int)
    y = x > 1 ? (error("one"); 1) : (error("two"); 2)
    print "never"
endfunction
function [] = attempt(f, x : int)
    try
        print f(x)
    catch e
        print e.message
    endtry
endfunction
for i = 1..2
    attempt(x -> h(x), i)
    attempt(x -> k(x), i)
    attempt(x -> l(x), i)
    attempt(x -> m(x), i)
    attempt(x -> both(x), i)
    attempt(x -> (x > 1 ? (error("late"); 1) : 2), i)
endfor
try
    x = (error("in a sequence"); 3)
    print x
catch e
    print e.message
endtry
try
    x = (assert(zeros(2)[0] > 2); 3)
    print x
catch e
    print e.message
endtry
if (print("printed"); 1)
    print "then"
endif
print 5 + (print("first"); 3)
v = zeros(3)
w = [4.0, -1, 9]
try
    parallel_do(3, __kernel__ (pos) -> v[pos] = w[pos] < 0 ? (error("negative at ", pos); 0.0) : sqrt(w[pos]))
catch e
    print e.message
endtry
