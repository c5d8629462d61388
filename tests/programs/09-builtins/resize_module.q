import "imresize.q"
x = [[1.0,2,4],[3,5,9]]
print imresize(x, [4,6], "nearest")
print imresize(x, [4,6])
print int(round(1000*imresize(x, [3,5], "cubic")))
print imresize(x, [1,2]), " ", imresize(x, [1,1], "nearest")
print imresize(x, 2) - imresize(x, [4,6])
print size(imresize(zeros(5,7,3), 0.5)), " ", imresize(ones(2,2,2), [3,1])[2,0,1]
print imrotate(x, 0), " ", int(round(imrotate([[1.0,2,3],[4,5,6],[7,8,9]], 90)))
print imrotate([[1.0,2,3],[4,5,6],[7,8,9]], 45, "nearest")
print imwarp(x, [[1.0,0,0],[0,1,0.5]])
print imwarp(x, [[0.0,1,0],[1,0,0]], "cubic", [3,2])
try
    print imresize(x, [2,2], "best")
catch e
    print e.message
endtry
try
    print imresize(x, [-2,2])
catch e
    print e.message
endtry
