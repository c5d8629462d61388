import "system.q"
print sinc(0.0), " ", round(1000*sinc(0.5)), " ", lerp(10.0, 20.0, 0.25), " ", abs(sinc(1.0)) < 1e-6
