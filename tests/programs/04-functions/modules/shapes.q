% Also imported by modules/user.q.
print "shapes loaded"
function y = area(w, h)
    y = w*h + bias()
endfunction
function y = bias() concealed
    y = 1
endfunction
SIDES = 4
function [] = main()
    print "main of shapes"
endfunction
