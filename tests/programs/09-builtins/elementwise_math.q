print sqrt(16.0), " ", exp(0), " ", log(1), " ", abs(-3), " ", abs(-2.5)
print floor(-1.7), " ", ceil(-1.2), " ", round(2.5), " ", round(-2.5), " ", fix(-1.7), " ", frac(-0.25)
print mod(-1,4), " ", rem(-1,4), " ", mod(5.5,2), " ", mod(3,0), " ", sign(-4), " ", sign(0)
print min(3,5), " ", max(3,5.5), " ", clamp(7,5), " ", clamp(-1,5), " ", saturate(1.5)
print atan2(0,1), " ", hypot(3,4), " ", pow(2,0.5)^2
print periodize(-5,4), " ", mirror_ext(-1,4), " ", mirror_ext(4,4)
