print "a""b"
print "back\slash"
s = "con" + "cat"
print s, " ", s == "concat", " ", s != "concat"
print "n = " + 3
print 2.5 + "!"
