% Kernels take and store slices of arrays of fixed and of partly fixed size.
function r : vec3 = __device__ turned(v : vec3)
    r = [v[1], v[2], v[0]]
    r[0..1] = r[1..2]
endfunction
function [] = __kernel__ registers(x : cube(:,:,3), y : cube(:,:,3), z : mat, pos : ivec2)
    v = x[pos[0],pos[1],:]
    m : mat(2,3) = [[1,2,3],[4,5,6]]
    m[1,:] = v
    column = m[:,1]
    m[:,0] = [7,8]
    y[pos[0],pos[1],:] = m[1,:]
    w = [1.0,2,3,4,5]
    w[1..3] = v
    u = w[0..2]
    u[0..1] = w[3..4]
    z[pos] = column[1] + 2*sum(w) + m[0,0] + 10*sum(u)
    at = [2,0]
    z[pos] += w[at][0]
    w[at] = [1,-1]
    w[0..1] += [2,3]
    w[pos[1]..pos[1]+1] -= [0.5,0.25]
    w[4..-2..0] = [0,1,2]
    z[pos] += dotprod(w, [1,10,100,1000,10000])
    y[pos[0],pos[1],0..1] = turned(y[pos[0],pos[1],:])[0..1]
endfunction
function [] = __kernel__ arrays(x : mat(:,3), y : mat(3,:), z : cube(2,:,3), pos : int)
    r = x[pos,:]
    y[:,pos] = r
    c = y[:,pos]
    z[:,pos,:] = 1
    b = z[:,pos,:]
    z[0,pos,0..1] = r[1..2]
    q = x[pos..pos+1,:]
    z[1,pos,:] = q[1,:]
    z[:,pos,2] += [[100],[200]]
    z[0,pos,2] += b[1,0,1] + c[2,0]
    y[1..2,pos] += [[0.5],[0.25]]
endfunction
x = reshape(0..11, [2,2,3]) * 1.0
y = zeros(2,2,3)
z = zeros(2,2)
parallel_do([2,2], x, y, z, registers)
print y
print z
x = reshape(0..14, [5,3]) * 1.0
y = zeros(3,4)
z = zeros(2,4,3)
parallel_do(4, x, y, z, arrays)
print y
print z
