type grid[T] : mat[T]
function y = corner(g : grid[int])
    y = g[0,0]
endfunction
print corner([[7,2],[3,4]])
g = grid[int](2,3)
g[1,2] = 5
print type(g), g
print corner(grid[int](1,1))
