% rows and columns in which an element depends on those before it, each row by itself
function y : mat = filtered(x : mat)
    y = copy(x)
    for m = 0..size(x,0)-1
        for n = 2..size(x,1)-1
            y[m,n] = x[m,n] + 0.5*y[m,n-1] - 0.25*y[m,n-2]
        endfor
    endfor
endfunction

% the condition keeps the first one from reading an element outside
function y : mat = guarded(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n] + (n > 0 ? 0.5*y[m,n-1] : 0.0)
        endfor
    endfor
endfunction

function y : mat = guarded_by_branch(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            t = x[m,n]
            if n > 0
                t += 0.5*y[m,n-1]
            endif
            y[m,n] = t
        endfor
    endfor
endfunction

function y : mat = there_and_back(x : mat)
    y = copy(x)
    N = size(x,1)
    for m = 0..size(x,0)-1
        for n = 1..N-1
            y[m,n] += 0.5*y[m,n-1]
        endfor
        for n = N-2..-1..0
            y[m,n] += 0.25*y[m,n+1]
        endfor
    endfor
endfunction

function y : mat = down(x : mat)
    y = copy(x)
    for n = 0..size(x,1)-1
        for m = 1..size(x,0)-1
            y[m,n] = max(y[m,n], y[m-1,n] - 1)
        endfor
    endfor
endfunction

% the next but one
function y : imat = every_second(x : imat)
    y = copy(x)
    for m = 0..size(x,0)-1
        for n = 2..2..size(x,1)-1
            y[m,n] += y[m,n-2]
        endfor
    endfor
endfunction

function y : mat = without_rounds(x : mat)
    y = copy(x)
    for m = 0..size(x,0)-1
        for n = 1..size(x,1)-4
            y[m,n] = 2*y[m,n-1]
        endfor
    endfor
endfunction

x = [[1,2,4,8],[3,0,1,5],[8,8,0,4]]
print filtered(x)
print guarded(x)
print guarded_by_branch(x)
print 512*there_and_back(x)
print down(x)
print every_second([[1,2,3,4,5],[5,4,3,2,1]])
print without_rounds(x), without_rounds(zeros(2,0))
try
    y = guarded(zeros(0,3))
    print size(y)
catch e
    print "no rows are no error"
endtry
