function y = say(x)
    print "saw ", x
    y = x
endfunction
v = [0,0,0]
v[say(1)] = say(20) + say(3)*say(2)
print v
