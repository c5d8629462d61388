import "immedfilt.q"
x = [[5.0,2,3,9],[4,8,6,1],[7,0,5,3]]
print immedfilt(x)
print immedfilt(x, 0)
print immedfilt(x, 2)
big = zeros(20, 30)
for m = 0..19
    for n = 0..29
        big[m,n] = mod(m*m*7 + n*n*n + 13*m*n, 101)
    endfor
endfor
for r = 1..4
    print sum(immedfilt(big, r)), " ", immedfilt(big, r)[0..3, 27..29]
endfor
% Infinite values, and values that are not numbers.
odd = [[1/0, 1, 2], [-1/0, 5, 3], [4, 0/0, -1/0]]
print immedfilt(odd, 2)
print immedfilt(reshape(0..11.0, [2,3,2]), 1)
print immedfilt(zeros(0,3), 2)
