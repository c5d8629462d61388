print cumsum([1,2,3,4]), cumprod([1,2,3,4])
print cumsum([[1,2],[3,4]])
print sort([3.0,1,2])
[y, idx] = sort([30.0,10,20])
print y, idx
print median([3.0,1,2]), " ", var([1.0,2,3,4]), " ", std([2.0,2])
