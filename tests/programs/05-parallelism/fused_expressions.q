a = [1.0,2,3,4]
b = [10.0,20,30,40]
c = a + 2*b.*a - b/10
print c
print sum(a.*b), " ", max(a - b), " ", sum((a - mean(a)).^2)
