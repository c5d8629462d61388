c = vec[vec](2)
c[0] = [1.0,2]
c[1] = [3.0,4,5]
print numel(c), " ", numel(c[1]), " ", c[1][2], " ", sum(c[0])
c[0][1] = 9
print c[0]
