% A declaration of a variable that has a value says its type: the value stays, with the new type.
x = 5
x : scalar
print x / 2
function [] = __kernel__ rows(x : ivec, y : ivec, pos : int)
    x : mat
    y[pos] = int(x[0, pos] + 0.5)
endfunction
function [] = f()
    y = 7
    y : scalar
    print y / 2
    z = [1, 2]
    z : vec
    z[0] = 0.5
    print z
    w : mat(2,2)
    w[0,0] = 1
    for k = 0..1
        w : mat(2,2)
        w[1,1] += 1
    endfor
    print w
endfunction
f()
v = vec[int](100)
for k = 0..99
    v[k] = k
endfor
u = vec[int](100)
parallel_do(100, v, u, rows)
print sum(u)
