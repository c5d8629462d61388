% A dot belongs to a number unless an operator starts with it.
print 0..2, 2.^2, " ", 1.*3, " ", 6./4
print 0.5..2, 1e2, " ", 1E-2, " ", 0.
