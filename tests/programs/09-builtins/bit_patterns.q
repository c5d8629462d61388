print and(6,3), or(6,3), xor(6,3), " ", not(5), " ", shl([1,2,3],2), shr(-1,4), " ", shr(256,[1,2])
print nextpow2([1,3,17]), prevpow2([1,3,17])
