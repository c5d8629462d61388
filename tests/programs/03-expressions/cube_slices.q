C = zeros(2,3,4)
for i = 0..1
    for j = 0..2
        for k = 0..3
            C[i,j,k] = 100*i + 10*j + k
        endfor
    endfor
endfor
print size(C[:,:,1]), size(C[1,:,:]), size(C[1,2,:]), size(C[1,:,2]), size(C[:,1,2]), size(C[:,1,:])
print C[1,2,:], C[1,:,2]
print squeeze(C[1,2,:])
