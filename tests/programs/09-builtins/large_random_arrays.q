% Arrays so large that a device makes them: the same numbers wherever the program runs.
function [] = parts(x : mat, y : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = floor(8 * x[m,n])
        end
    end
end

% How many numbers have each value.
function h : ivec = counts(k : imat, n : int)
    h = zeros[int](n)
    for i = 0..size(k,0)-1
        for j = 0..size(k,1)-1
            h[k[i,j]] += 1
        end
    end
end

seed(11)
x = rand(300, 200)
print x[0,0..4], " ", x[299,197..199]
y = zeros(300, 200)
parts(x, y)
print sum(y), " ", min(x) >= 0, " ", max(x) < 1

% The sequence goes on behind the large array, and small ones are a part of it.
print rand(3), " ", rand()
z = randn(250, 170)
print z[0,0..3], " ", z[249,167..169]
print abs(mean(z)) < 0.02, " ", abs(std(z) - 1) < 0.02
k = randi(6, 400, 300)
print k[0,0..9], " ", sum(k)
print counts(k, 6)
v = randi(1073741825, 40000)
print v[0..2], " ", v[39997..39999]

% From the same seed the same again, piece by piece.
seed(11)
a = rand(30000)
b = rand(30000)
same = true
for m = 0..149
    for n = 0..199
        same = same && a[m*200+n] == x[m,n] && b[m*200+n] == x[m+150,n]
    end
end
print same
seed(11)
single = rand()
print single == x[0,0], " ", rand() == x[0,1]
