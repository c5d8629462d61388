A = [[2.0,1],[1,3]]
print det(A), " ", trace(A), " ", diag(A), diagm([1.0,2])
print abs(round(inv(A)*A)), round(solve(A,[3.0,4]))
print kron([[1,2]],[[1],[1]])
