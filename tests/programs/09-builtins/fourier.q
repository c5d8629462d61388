X = fft1([1.0,0,0,0])
print real(X), abs(imag(X))
x = [1.0,2,3,4]
print round(real(ifft1(fft1(x)))), " ", round(real(fft1(x)[0]))
