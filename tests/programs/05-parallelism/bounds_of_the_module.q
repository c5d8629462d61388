% Loops whose bounds are variables of the module, and arrays that a loop writes to and replaces.
n = 3
m = 7
function [] = f(y : mat)
    for i = 0..size(y,0)-1
        for j = n..m
            y[i,j] = i + j
        end
    end
    for i = n..m
        for j = 0..m
            y[i,j] += j
        end
    end
    {!serial for}
    for i = n..m
        y[i,0] = y[i-1,0] + 1
    end
    for i = m..-1..n
        y[i,1] = y[i,1] + i
    end
end
z = zeros(20,20)
for k = 1..2
n += 1
m += 1
end
f(z)
print sum(z), z[5,0..5], z[0,0..9]
x = [1.0, 2, 4, 8]
y = zeros(4)
for k = 0..3
    y = x + 1
    y[k] = x[mod(k + 1, 4)] + x[k]
end
print y
last = 0.0
for k = 0..2
    last = 2*x[k]
    y = 2*x
    y[k] = last + 1
end
print y, last
