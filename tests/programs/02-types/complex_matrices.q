A = [[1,2j],[3+1j,4]]
print A
print transpose(A)
print conj(A)
print real(A), imag(A)
print A*[1,1j]
