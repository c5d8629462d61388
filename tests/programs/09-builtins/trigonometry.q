print sin(0.0), " ", cos(0.0), " ", tan(0.0), " ", asin(1.0)*2 == pi, " ", acos(1.0), " ", round(4*atan(1.0)*1000)
print sinh(0.0), cosh(0.0), tanh(0.0), " ", abs(round(sin([0.0,pi/2,pi])))
print atan2(1.0, 0.0) > 1.57, " ", atan2([0.0,0.0],[1.0,2.0])
