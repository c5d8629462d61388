% single: prints the limits of the working precision
print maxvalue(int8), " ", minvalue(int8), " ", maxvalue(uint8), " ", minvalue(uint8)
print maxvalue(int16), " ", maxvalue(uint16), " ", maxvalue(scalar), " ", eps
