import "dwt.q"
x = zeros(8, 16)
for m = 0..7
    for n = 0..15
        x[m,n] = mod(3*m + 5*n*n, 11)
    endfor
endfor
haar = dwt2(x, db1)
print int(round(2*haar[0,0])), " ", int(round(2*haar[0,8])), " ", int(round(2*haar[4,0])), " ", int(round(2*haar[4,8]))
y = dwt2(x, db2, 2)
print int(round(1000*y[0,0..7])), " ", int(round(1000*y[5,8..15]))
% Orthogonal: energies stay and the inverse is exact.
print abs(sum(y.^2)/sum(x.^2) - 1) < 1e-5
filters = {db1, db2, db3, db4, db5, db6, db7, db8, sym8}
for k = 0..8
    h : vec = filters[k]
    there = dwt2(x, h, 3)
    print numel(h), " ", max(abs(idwt2(there, h, 3) - x)) < 1e-4, " ", abs(sum(h) - sqrt(2)) < 1e-6
endfor
[forward, inverse] = build_dwt(db4, 2)
print max(abs(inverse(forward(x)) - x)) < 1e-4, " ", max(abs(forward(x) - dwt2(x, db4, 2)))
try
    print dwt2(x, db2, 4)
catch e
    print e.message
endtry
