import "system.q"
print isreal(1.5), isreal(1j), iscomplex(1j), isscalar(2), isscalar([1.0]), isvector([1.0,2]), ismatrix([[1.0]]), ismatrix([1.0]), iscube(zeros(2,2,2))
print isstring("a"), isstring(1), iscell({1,"a"}), isfunction(x -> x)
