for x = {1, "two", [3,4]}
    print x
endfor
for k = 2.^(0..3)
    print k
endfor
