% What `type(x, T)` says of classes, type classes and functions.
type base : mutable class
    a : int
endtype
type derived : base
    b : int
endtype
type num : [int|scalar]
d = derived(1,2)
e : base = d
print type(d,"base"), type(d,"^base"), type(nullptr,"^base"), type(e, "^derived")
f = __device__ (x : scalar) -> x + 1
g = (x : scalar) -> x + 1
print type(f,"[scalar -> scalar]"), type(f, "[__device__ scalar -> scalar]"), type(f,"function"), type(f, "kernel_function"), type(f, "lambda_expr")
print type(g,"[scalar -> scalar]"), type(g, "[__device__ scalar -> scalar]"), type(g,"function"), type(g, "kernel_function"), type(3, "function")
print type(1,"num"), type("a","num"), type(1.5, "[int|string]"), type("a", "[int|string]")
print type((x : vec) -> 1, "[mat -> int]"), type((x : mat) -> 1, "[vec -> int]"), type((x : mat) -> d, "[mat -> base]"), type((x : mat) -> e, "[mat -> derived]")
print type(g, "[(scalar,scalar) -> scalar]")
