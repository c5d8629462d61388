% single: integers that single precision does not hold
% An array whose elements must be converted for a call comes back with what the function changed.
function [] = change(x : vec, k : int, value : scalar)
    x[k] = value
endfunction
numbers = [1,2,16777217]
change(numbers, 1, 7)
print numbers

% Through other functions, other names and other dimensions.
function [] = first(x : mat, value : scalar)
    y = x
    z = reshape(y, [numel(y)])
    change(z, 0, value)
endfunction
first(numbers, -3)
print numbers
table = [[1,2],[3,4]]
first(table, 9)
print table

% Nothing comes back from a function that only reads, nor to a value without a name.
function s = total(x : vec)
    y = copy(x)
    y[0] = 100
    s = sum(y)
endfunction
print total(numbers), numbers
change([1,2], 0, 5)

% What does not fit is an error, as when it is stored directly.
small = vec[uint8](2)
try
    change(small, 0, 300)
    print "no error"
catch error
    print "refused"
endtry
print small
soft = vec[uint8'sat](2)
change(soft, 0, 300)
print soft

% Into integers: the unchanged elements keep their fractions.
function [] = count(x : ivec)
    x[1] += 1
endfunction
halves = [0.5, 1.5, 2.5]
count(halves)
print halves

% A launch, and a function value.
function [] = __kernel__ double(x : vec, pos : int)
    x[pos] = 2 * x[pos]
endfunction
parallel_do(numel(numbers), numbers, double)
print numbers
