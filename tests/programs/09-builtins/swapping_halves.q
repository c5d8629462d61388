print fftshift1([1,2,3,4]), fftshift1([1,2,3]), ifftshift1(fftshift1([1,2,3]))
