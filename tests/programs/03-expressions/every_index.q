% Every kind of index, the shapes of slices, and assignments to them.
A = reshape(0..11,[3,4])
print A[1,2], A[0..1,1], A[0..2..2,0], A[[2,0,2],1], A[:,1], A[1,:], A[...[1,2]]
A[[0,2],3] = 50
print A[:,3]
p = [2,1]
print A[p], A[[1]], A[[1,1,0]]
try
    print A[[1,1,1]]
catch e
    print e.message
endtry
print A[1], A[1,2,0]
try
   k = 1
   print A[1,2,k]
catch e
    print e.message
endtry
col = [[1],[2],[3]]
print col[1], col[1,0]
v = [5,6,7]
print v[0,2], v[[2,0]]
C = reshape(0..23,[2,3,4])
print size(A[1,:]), size(A[:,1]), size(A[0..1,1]), size(C[:,:,1]), size(C[1,:,:]), size(C[1,2,:]), size(C[1,:,2]), size(C[:,1,2]), size(C[:,1,:]), size(squeeze(C[:,1,:])), size(squeeze(C[1,2,:]))
w = A[1,:]
w[0] = 99
print A[1,0]
A[0,:] = 7
A[:,0] = [1,2,3]
A[1,1..2] = [[8],[9]]
print A
A[1,:] += 1
A[1,0..1] .*= [2,3]
print A
try
    v[3] = 1
catch e
    print e.message
endtry
x = [1.0,-2,3]
x[x < 0] = 0
print x, x[x > 0]
x[x > 0 && x < 2] = [10,20,30]
print x
x[x > 0] = floor(x[x > 0] / 2)
print x
mask = x > 0
print mask, x[mask]
s = 5
print s[0], s[0,0]
cc = {{1,2},{3,[4,5]}}
print cc[1][1][0], [1,2,3][1], size(A)[0], "hello"[1], "hello"[1..3]
i2 = 1.7
print v[i2]
y = zeros(2,2,3)
pos = [1,0]
y[pos[0],pos[1],0..2] = [1,2,3]
y[...pos, 1] = 9
print y[1,0,:]
