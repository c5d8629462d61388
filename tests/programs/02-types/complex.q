z = 3 + 4j
w = 1 - 2j
print z + w, " ", z*w, " ", z/w
print abs(z), " ", real(z), " ", imag(z), " ", conj(z)
print z == 3+4j, " ", z != w, " ", -z
print type(z), " ", type(abs(z))
