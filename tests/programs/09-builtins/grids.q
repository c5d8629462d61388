[Y, X] = ndgrid(0..1, 0..2)
print Y, X
