    reduction (x : scalar) -> x + 0 = x
%   ^ Q0001 not supported yet: reductions (rewrite rules)
macro [] = timed(op)
%          ^ Q0001 not supported yet: macros
    op()
endmacro
print 1
