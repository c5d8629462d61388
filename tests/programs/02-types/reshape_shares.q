% A reshaped array names the same elements: a write through either is seen through the other.
a = [1.0,2,3,4,5,6]
b = reshape(a, [2,3])
b[1,0] = 40
print a
a[0] = 10
print b
c = reshape(b, [3,-1])
c[2,1] = 60
print a, b

% Through calls, and in a launch.
function [] = fill(x : mat, value : scalar)
    x[0,1] = value
endfunction
fill(reshape(a, [3,2]), 20)
print a
function [] = __kernel__ halve(x : cube, pos : ivec3)
    x[pos] = x[pos] / 2
endfunction
d = reshape(a, [2,1,3])
parallel_do(size(d), d, halve)
print a

% Reads and writes of one array in a loop stay in order.
e = reshape(a, [1,6])
for i = 1..5
    a[i] = e[0,i-1] + 1
endfor
print e

% The source of an assignment is read before its target changes.
e[0,:] = reshape(a, [6])
print a
a[1..5] = reshape(e, [6])[0..4]
print e

% Cells and integers alike; a copy has elements of its own.
cells = {"one", "two", "three", "four"}
table = reshape(cells, [2,2])
table[0,1] = "changed"
print cells[1]
numbers = [1,2,3,4]
square = reshape(numbers, [2,2])
square[1,1] = 9
print numbers
own = copy(reshape(numbers, [4,1]))
own[0,0] = 7
print numbers, own
mixed = reshape({1, "two", [3,3], 4}, [2,2])
print mixed[0,1], size(mixed)
column = reshape(numbers, [2,2])
column += 1
print numbers
