import "immorphology.q"
x = [[5.0,2,3,9],[4,8,6,1],[7,0,5,3]]
print imerode(x)
print imdilate(x)
print imopen(x, ones(1,3))
print imclose(x, ones(2,2))
% A cross, an element without its centre, and one that is not symmetric.
cross = [[0.0,1,0],[1,1,1],[0,1,0]]
print imerode(x, cross)
print imdilate(x, cross)
print imerode(x, [[1.0,0,1]])
side = [[1.0,1,0]]
print imerode(x, side)
print imdilate(x, side)
print imerode(x, ones(1,2), [0,1])
print imdilate(x, ones(1,2), [0,0])
% An opening removes nothing more the second time.
once = imopen(x, side)
print max(abs(imopen(once, side) - once)), " ", min(x - once), " ", min(imclose(x, side) - x)
print imerode(reshape(0..7.0, [2,2,2]), ones(2,2), [0,0])
print imerode(x, ones(1,1), [0,4])
try
    print imdilate(x, zeros(3,3))
catch e
    print e.message
endtry
