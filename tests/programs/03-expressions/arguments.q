% Arguments by place and name, spread, and evaluated in order; results and elements that are indexed at once.
function y = f(a, b, c = 3, d = 4)
    y = [a,b,c,d]
endfunction
print f(1, 2), f(1, 2, 9), f(1, 2, d := 7), f(b := 1, a := 2), f(1, b := 5, c := 6)
print f(...[1,2]), f(...{1,2}, 5)
print f(...[1,2], ...[3,4])
function y = args(...a)
    y = numel(a)
endfunction
print args(), args(1), args(...[1,2,3], 4)
c = {[1,2,3],[4,5]}
c[1][0] = 40
print c, c[0][2]
p = [[1,2],[3,4]][1,:]
print p, transpose(p)[1,0]
s = "hello"
print s[0], s[1..2], s[4..-1..0]
function y = say(n)
    print n
    y = n
endfunction
function r = three(a, b, c)
    r = a
endfunction
print three(say(1), say(2), say(3))
w = zeros(3)
w[say(1)] = say(5)
print w
q = [say(1), say(2)] 
t = say(3) < say(4) && say(0)
