% The type of an image is known before it is read.
a = imread("no_such_file.png")
    print (a : string)
%          ^ Q0322 Type check failed: 'cube' is not 'string'
type node : mutable class
    next : ^node
endtype
n : ^node = nullptr
print n + 1, n - n, -n, n < n, n[0]
%     ^ Q0312 '+' needs numbers or arrays of numbers, found '^node'
%            ^ Q0312 '-' needs numbers or arrays of numbers, found '^node'
%                   ^ Q0312 '-' needs numbers or arrays of numbers, found '^node'
%                       ^ Q0312 '<' needs numbers or arrays of numbers, found '^node'
%                              ^ Q0316 '^node' cannot be indexed
