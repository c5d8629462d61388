% Windows of arrays in shared memory: found by the compiler, or told to it.
function [] = __kernel__ smooth(x : mat'mirror, y : mat, pos : ivec2)
    {!kernel_transform enable="localwindow"}
    s = 0.0
    for i=-1..1
        for j=-2..2
            s += x[pos[0]+i,pos[1]+j]
        endfor
    endfor
    y[pos] = s
endfunction

function [] = __kernel__ widest(x : vec'circular, y : vec, r : int, pos : int)
    {!kernel_transform enable="localwindow"}
    {!kernel_arg name=x; type="in"; access="localwindow"; min=[-3]; max=[3]}
    m = x[pos]
    for i=-r..r
        m = max(m,x[pos+i])
    endfor
    y[pos] = m
endfunction

function y = edges(x : mat)
    y = zeros(size(x))
    {!kernel_transform enable="localwindow"}
    for m=1..size(x,0)-2
        for n=1..size(x,1)-2
            y[m,n] = x[m-1,n]+x[m+1,n]+x[m,n-1]+x[m,n+1]-4*x[m,n]
        endfor
    endfor
endfunction

x = zeros(19,21)
for i=0..18
    for j=0..20
        x[i,j] = mod(7*i+5*j+i*j,11)
    endfor
endfor
y = zeros(19,21)
parallel_do(size(x), x, y, smooth)
print y[0,:], y[18,:]
z = zeros(21)
parallel_do(21, x[4,:], z, 3, widest)
print z
e = edges(x)
print e[1,:], sum(abs(e))
