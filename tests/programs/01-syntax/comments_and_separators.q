% a comment; with a semicolon
a = 1; b = 2   % behind code

;;
print a, " ", b; print "x"
print "no % comment here"
