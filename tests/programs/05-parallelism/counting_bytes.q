function [] = count(x : vec[uint8], h : vec[int], d : vec, w : vec)
    for k = 0..numel(x)-1
        h[x[k]] += 1
    end
    for k = 0..numel(x)-1
        d[x[k]] += 1
    end
    for k = 0..numel(x)-1
        w[x[k]] += 0.5
    end
end
x = vec[uint8](2003)
for i = 0..2002
    x[i] = mod(i, 3)
end
h = vec[int](4)
d = zeros(4)
w = ones(4)
count(x, h, d, w)
print h
print d
print w
