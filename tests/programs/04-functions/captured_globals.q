% Lambdas of the module capture variables that functions read as well: as they are when the lambda is made.
z = zeros(3)
n = 2
put = k -> z[k] = n
function [] = show()
    print z, " ", n
endfunction
n = 5
put(1)
show()
parallel_do(3, __kernel__ (pos) -> z[pos] += 10 * n + pos)
show()
z = [7, 8]
put(0)
show()
