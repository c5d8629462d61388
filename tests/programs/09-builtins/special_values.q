print isnan(0/0), " ", isinf(1/0), " ", isfinite(1), " ", isnan([1,0/0])
print min(0/0, 3), " ", max(0/0, 3), " ", pi, " ", maxvalue(int), " ", minvalue(int)
