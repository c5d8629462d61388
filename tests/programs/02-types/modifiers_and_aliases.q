% Modifiers belong to variables and pass on by assignment; aliases with parameters and parameters that are restricted.
A : 'mirror = [1.0,2,3]
B = A
print B[-1]
C : vec'unchecked = A
print C[0]
function y = f(m : mat'const'mirror)
    y = m[-1,-1]
endfunction
print f([[1.0,2]])
E1 = A
E1[0] = 9
print A[-1]
F : vec'safe = A
print F[5], A[5]
type grid[T] : mat[T]
type number : [scalar|cscalar|int]
type filterfn : [__device__ (cube, ivec2) -> vec3]
function y = h[N : int, T : number](v : vec[T](N))
    y = N
endfunction
print h([1,2,3]), h([1.5,2])
g : grid[int] = [[1,2]]
print type(g), type(g,"imat")
ff : filterfn = __device__ (c : cube, p : ivec2) -> [c[p[0],p[1],0], 0, 0]
print ff(ones(1,1,1),[0,0])
