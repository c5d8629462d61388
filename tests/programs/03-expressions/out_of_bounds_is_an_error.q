a = [1,2,3]
try
    print a[3]
catch ex
    print "caught: ", ex.message
endtry
print "after"
