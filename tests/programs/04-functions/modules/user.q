import "shapes.q"
import "shapes.q"
function y = bias()
    y = 100
endfunction
print area(2, 3), " ", bias(), " ", SIDES
