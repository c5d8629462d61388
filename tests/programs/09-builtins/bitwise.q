print and(12,10), " ", or(12,10), " ", xor(12,10), " ", not(0), " ", shl(1,5), " ", shr(-8,1)
print and([1,2,3], 1)
print nextpow2(5), " ", prevpow2(5), " ", nextpow2(8)
