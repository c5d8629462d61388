function y : int = shout(x : int)
    print "called ", x
    y = x
endfunction
print 0 && shout(1)
print 1 || shout(2)
print 1 && shout(3)
print 0 || shout(4)
print 1 ? shout(5) : shout(6)
