half : [scalar -> scalar] = x -> x/2
area : [(scalar, scalar) -> scalar] = (a, b) -> a*b
add : [int -> int -> int] = x -> y -> x + y
print half(3), " ", area(2, 2.5), " ", add(1)(2)
