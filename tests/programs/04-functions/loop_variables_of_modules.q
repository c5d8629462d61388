% `k` here and `k` of the function are two variables; `n` is one that functions share.
function y = local(x : scalar)
    y = 0
    for k = 1..3
        y += k * x
    endfor
endfunction
function y = sees()
    y = 10 * n
endfunction
for k = 1..2
    print local(k)
endfor
for n = 1..3
    print sees()
endfor
print n
for n = 4..3
endfor
print sees()
for n = [2.5, 3.5]
    print sees()
endfor
function y = said()
    y = "caught: " + reason
endfunction
try
    error("this")
catch reason
    print said()
endtry
print reason
x : imat
function y = count()
    y = numel(x)
endfunction
x = [[1, 2], [3, 4]]
print count()
