print "top"
function [] = main()
    print "main ", twice(4)
endfunction
function y = twice(x)
    y = 2*x
endfunction
print "level"
