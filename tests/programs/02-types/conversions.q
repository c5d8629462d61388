print int(1.7), " ", int(-1.7), " ", float(3), " ", int(0/0)
print type(float(3)), " ", type(int(2.5))
print complex(1,2), " ", complex(3)
