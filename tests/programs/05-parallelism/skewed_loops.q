% Loops with dependences along diagonals, columns and rows at once.
function y = diagonals(x : mat)
    y = x + 0
    {!function_transform enable="imperfectloop"}
    for m=2..size(x,0)-1
        for n=2..size(x,1)-1
            y[m,n] = y[m,n] + 0.5*y[m-1,n-1] - 0.25*y[m-2,n-2]
        endfor
    endfor
endfunction

function y = upwards(x : mat)
    y = x + 0
    {!function_transform enable="imperfectloop"}
    for m=1..size(x,0)-1
        for n=0..size(x,1)-2
            y[m,n] += y[m-1,n+1]
        endfor
    endfor
endfunction

function y = columns(x : mat)
    y = x + 0
    {!function_transform enable="imperfectloop"}
    for m=1..size(x,0)-1
        for n=0..size(x,1)-1
            y[m,n] += y[m-1,n]
        endfor
    endfor
endfunction

function y = integral(x : mat)
    y = x + 0
    {!function_transform enable="imperfectloop"}
    for m=1..size(x,0)-1
        for n=1..size(x,1)-1
            y[m,n] = y[m,n] + max(y[m-1,n], y[m,n-1])
        endfor
    endfor
endfunction

x = zeros(6,7)
for i=0..5
    for j=0..6
        x[i,j] = mod(3*i+j*j,8)
    endfor
endfor
print diagonals(x)
print upwards(x)
print columns(x)
print integral(x)
