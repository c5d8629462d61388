print log2(8.0), " ", log10(1000.0), " ", exp2(3.0), " ", round(log(exp(1.0))), " ", cbrt(27.0), " ", rsqrt(4.0)
print sqrt(-1.0), " ", log(0.0), " ", sqrt([1.0,4,9]), " ", pow([1.0,2,3],2)
