% Every construct but `if` and `repeat` closed by `end`.
function y = half(x)
    y = x / 2
end
macro [] = show(x)
    print "shown ", x
end
type t : class
    a : int
end
k = 0
while k < 2
    k += 1
end
match k with
| 2 -> print "two"
| _ -> print "other"
end
try
    error "x"
catch
    print "caught"
end
for i = 0..1
    if i == 1
        print half(i), t(3)
    endif
end
repeat
    k -= 1
until k == 0
!show k
