import "imfilter.q"
x = [[1.0,2,3],[4,5,6]]
print imfilter(x, [[0.0,1,0]])
print imfilter(x, [[1.0,1,1]])
print imfilter(x, [[1.0,1,1]], [0,1], "mirror")
print imfilter(x, [[1.0],[1]], [0,0], "circular")
