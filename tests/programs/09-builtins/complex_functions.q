z = [3+4j, 0-1j]
print abs(z), conj(z), real(z), imag(z)
print round(angle(1j)*1000), " ", sqrt(-4+0j), " ", complex(1,2)*complex(0,1), " ", abs(exp(1j*pi) + 1) < 1e-6
