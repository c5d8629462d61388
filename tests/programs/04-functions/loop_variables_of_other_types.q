% A loop variable that held another number before keeps it, converted, only where there is no round.
k = 1e20
for k = 0..2
endfor
print k
k2 = 2.5
n = -1
for k2 = 0..n
endfor
print k2, type(k2)
function [] = over(n : int)
    k3 = 1e20
    for k3 = 0..n
    endfor
    print k3
endfunction
k4 = 1e20
m = n + 3
for k4 = 5..-1..m
endfor
print k4
over(1)
try
    over(-1)
catch e
    print e.message
endtry
