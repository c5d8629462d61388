% Words that are the language's at their places only, numbers with suffixes, and operators that need white space.
concealed = 4
symbolic = 5
where = 6
print concealed + symbolic + where
print 0bh, " ", 1011B, " ", 755O, " ", 1FH, " ", 0Ah
a = 1
b = 2
print a<-b, (a<-b), (a < -b)
a__ = 7
a__= 3
print a__, a
v = [5,6]
v[0]__= 3
v[1]^^= 9
print v
w = {x -> x+1, x -> x*2}
print w[1](4)
f = {(x:int -> 2*x)}
print f[0](4)
print "a % b" % comment "x
c = `1,"x"´
print numel(c)
m : mat 'mirror 'const = [[1,2],[3,4]]
print m[-1, 0]
