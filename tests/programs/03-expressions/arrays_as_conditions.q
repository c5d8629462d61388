if [1,2]
    print "all"
endif
if [1,0]
    print "never"
else
    print "not all"
endif
if []
    print "never"
else
    print "empty"
endif
while [1,1]
    print "yes"
    break
endwhile
