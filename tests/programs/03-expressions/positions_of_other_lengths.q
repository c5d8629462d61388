% What a position leaves out is 0; what it has too much must be 0, else it lies outside. Boundary modes hold for positions.
function y = at(A : cube, p : ivec)
    y = A[p]
endfunction
A = reshape(0..7, [2, 2, 2])
print at(A, [1, 0, 1]), " ", at(A, [1, 0]), " ", at(A, [0, 1, 1, 0])
try
    print at(A, [0, 1, 1, 2])
catch e
    print "outside"
endtry
C : 'circular = A
print C[[-1, 3, 4]]
