% Statements that print nothing, empty ones, patterns over lines, declarations that say the same, functions in blocks.
match 2 with
| (1,
   2) -> print "two"
| _ -> print "other"
endmatch
;;
x = 3;;y = 4;
5 + 6
x
print x,y
z : int
z : int = 3
print z
function y : vec3 = declared_twice()
    y : vec3 = [1,2,3]
endfunction
print declared_twice()
print [1,2,3][1], {1,2}[0]
function y = nested(x)
    if x > 0
        function z = twice(a)
            z = a * 2
        endfunction
        y = twice(x)
    else
        y = 0
    endif
endfunction
print nested(4)
k = (print("first"); 3)
print k
