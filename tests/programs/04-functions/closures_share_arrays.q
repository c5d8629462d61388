v = [1,2,3]
k = 10
first = () -> v[0] + k
v[0] = 5
k = 99
print first()
function f = adder(n)
    f = x -> x + n
endfunction
add3 = adder(3)
add5 = adder(5)
print add3(1), " ", add5(1), " ", adder(7)(1)
