print 0..4, 0..2..9, 5..-1..1, 5..3, 0..0.25..1
print numel(5..3), " ", sum(1..2..10)
print (1..4)*2, -K_range()
function y = K_range()
    y = 1..3
endfunction
