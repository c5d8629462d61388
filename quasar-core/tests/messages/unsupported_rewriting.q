macro [] = timed(op)
%          ^ Q0001 not supported yet: macros
    op()
endmacro
print 1
