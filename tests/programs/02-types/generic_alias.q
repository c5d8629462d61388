type grid[T] : mat[T]
function y = corner(g : grid[int])
    y = g[0,0]
endfunction
print corner([[7,2],[3,4]])
