% Values of enums, names without prefix in matches, comparisons with integers, enums in kernels.
type mode : enum
    Slow
    Fast = 5
    Faster
    Zero = 0
endtype
print mode.Slow, " ", mode.Slow + 0, mode.Fast + 0, mode.Faster + 0, " ", mode.Faster, " ", mode.Zero
x = mode.Fast
match x with
| Slow -> print "slow"
| Fast -> print "fast"
endmatch
match x with
| mode.Slow -> print "slow"
| mode.Fast -> print "fast"
endmatch
print x == 5, x > 3, x == mode.Fast
y = zeros[int](1)
parallel_do(1, y, x, __kernel__ (y : ivec, x : mode, pos : int) -> y[pos] = x)
print y, mode.Slow
v = [x, mode.Slow]
print v, type(x)
