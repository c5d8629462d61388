% Functions of the library that kernels may call, on arrays whose sizes are known at run time only, against the host.
function s : scalar = __device__ check(x : scalar)
    s = x
endfunction
function s : scalar = __device__ check[T](x : vec[T])
    s = 0.0
    for i = 0..numel(x)-1
        s += (i + 1)*x[i]
    endfor
endfunction
function s : scalar = __device__ check[T](x : mat[T])
    s = 0.0
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            s += (3*i + j + 1)*x[i,j]
        endfor
    endfor
endfunction
function s : scalar = __device__ check[T](x : cube[T])
    s = 0.0
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            for k = 0..size(x,2)-1
                s += (5*i + 3*j + k + 1)*x[i,j,k]
            endfor
        endfor
    endfor
endfunction
function [] = __kernel__ in_kernel(x : mat, y : mat, n : int, k : int, pos : int)
    v = x[pos,0..n]
    m = reshape(v, [int(n/2),k+1])
    w = v[2..k+2]
    y[pos,0] = check(sum(v))
    y[pos,1] = check(prod(v))
    y[pos,2] = check(min(v))
    y[pos,3] = check(max(v))
    y[pos,4] = check(sum(m,0))
    y[pos,5] = check(prod(m,1))
    y[pos,6] = check(mindim(m,0))
    y[pos,7] = check(maxdim(m,1))
    y[pos,8] = check(mean(v))
    y[pos,9] = check(mean(m,1))
    y[pos,10] = check(std(v))
    y[pos,11] = check(std(m,0))
    y[pos,12] = check(var(v))
    y[pos,13] = check(var(m,1))
    y[pos,14] = check(any(m-1))
    y[pos,15] = check(any(m-1,0))
    y[pos,16] = check(all(m))
    y[pos,17] = check(all(m-1,1))
    y[pos,18] = check(median(v))
    y[pos,19] = check(argmin(v))
    y[pos,20] = check(argmax(m))
    y[pos,21] = check(index_of_min(v))
    y[pos,22] = check(index_of_max(v))
    y[pos,23] = check(cumsum(v))
    y[pos,24] = check(cumsum(m,0))
    y[pos,25] = check(cumprod(m))
    y[pos,26] = check(cummin(v))
    y[pos,27] = check(cummax(m,1))
    y[pos,28] = check(sort(v))
    y[pos,29] = check(sort(m))
    y[pos,30] = check(sort(m,0))
    y[pos,31] = check(sort(v,0))
    y[pos,32] = check(find(v>1))
    y[pos,33] = check(find(m>1))
    y[pos,34] = check(find(v,2))
    y[pos,35] = check(find(m,m[1,1]))
    y[pos,36] = check(eye(3))
    y[pos,37] = check(eye(2,3))
    y[pos,38] = check(copy(m))
    y[pos,39] = check(repmat(w,[2,2]))
    y[pos,40] = check(linspace(v[0],v[1],5))
    y[pos,41] = check(seq(1,5))
    y[pos,42] = check(seq(2,8,3))
    y[pos,43] = check(size(m))
    y[pos,44] = check(size(m,1))
    y[pos,45] = check(size(m,int(v[5])-1))
    y[pos,46] = check(numel(m))
    y[pos,47] = check(ndims(m))
    y[pos,48] = check(isempty(m))
    y[pos,49] = check(reshape(m,[3,2]))
    y[pos,50] = check(reshape(m,[3,-1]))
    y[pos,51] = check(shuffledims(m,[1,0]))
    y[pos,52] = check(squeeze(reshape(m,[2,1,3])))
    y[pos,53] = check(vertcat(m,w))
    y[pos,54] = check(horzcat(m,m))
    y[pos,55] = check(horzcat(v,w,7))
    y[pos,56] = check(cat(0,m,m))
    y[pos,57] = check(cat(2,m,m))
    y[pos,58] = check(ind2pos([2,3,4],17))
    y[pos,59] = check(pos2ind([2,3,4],[1,1,1]))
    y[pos,60] = check(isreal(m))
    y[pos,61] = check(iscomplex(m))
    y[pos,62] = check(isscalar(m))
    y[pos,63] = check(isvector(v))
    y[pos,64] = check(ismatrix(m))
    y[pos,65] = check(iscube(m))
    y[pos,66] = check(isstring(m))
    y[pos,67] = check(iscell(m))
    y[pos,68] = check(isfunction(m))
    [a0, b0] = sort(v)
    y[pos,69] = check(a0)
    y[pos,70] = check(b0)
    [a1, b1] = sort(m,0)
    y[pos,71] = check(a1)
    y[pos,72] = check(b1)
endfunction
function [] = on_host(x : mat, y : mat, pos : int)
    v = x[pos,0..5]
    m = reshape(v, [2,3])
    w = v[2..4]
    y[pos,0] = check(sum(v))
    y[pos,1] = check(prod(v))
    y[pos,2] = check(min(v))
    y[pos,3] = check(max(v))
    y[pos,4] = check(sum(m,0))
    y[pos,5] = check(prod(m,1))
    y[pos,6] = check(mindim(m,0))
    y[pos,7] = check(maxdim(m,1))
    y[pos,8] = check(mean(v))
    y[pos,9] = check(mean(m,1))
    y[pos,10] = check(std(v))
    y[pos,11] = check(std(m,0))
    y[pos,12] = check(var(v))
    y[pos,13] = check(var(m,1))
    y[pos,14] = check(any(m-1))
    y[pos,15] = check(any(m-1,0))
    y[pos,16] = check(all(m))
    y[pos,17] = check(all(m-1,1))
    y[pos,18] = check(median(v))
    y[pos,19] = check(argmin(v))
    y[pos,20] = check(argmax(m))
    y[pos,21] = check(index_of_min(v))
    y[pos,22] = check(index_of_max(v))
    y[pos,23] = check(cumsum(v))
    y[pos,24] = check(cumsum(m,0))
    y[pos,25] = check(cumprod(m))
    y[pos,26] = check(cummin(v))
    y[pos,27] = check(cummax(m,1))
    y[pos,28] = check(sort(v))
    y[pos,29] = check(sort(m))
    y[pos,30] = check(sort(m,0))
    y[pos,31] = check(sort(v,0))
    y[pos,32] = check(find(v>1))
    y[pos,33] = check(find(m>1))
    y[pos,34] = check(find(v,2))
    y[pos,35] = check(find(m,m[1,1]))
    y[pos,36] = check(eye(3))
    y[pos,37] = check(eye(2,3))
    y[pos,38] = check(copy(m))
    y[pos,39] = check(repmat(w,[2,2]))
    y[pos,40] = check(linspace(v[0],v[1],5))
    y[pos,41] = check(seq(1,5))
    y[pos,42] = check(seq(2,8,3))
    y[pos,43] = check(size(m))
    y[pos,44] = check(size(m,1))
    y[pos,45] = check(size(m,int(v[5])-1))
    y[pos,46] = check(numel(m))
    y[pos,47] = check(ndims(m))
    y[pos,48] = check(isempty(m))
    y[pos,49] = check(reshape(m,[3,2]))
    y[pos,50] = check(reshape(m,[3,-1]))
    y[pos,51] = check(shuffledims(m,[1,0]))
    y[pos,52] = check(squeeze(reshape(m,[2,1,3])))
    y[pos,53] = check(vertcat(m,w))
    y[pos,54] = check(horzcat(m,m))
    y[pos,55] = check(horzcat(v,w,7))
    y[pos,56] = check(cat(0,m,m))
    y[pos,57] = check(cat(2,m,m))
    y[pos,58] = check(ind2pos([2,3,4],17))
    y[pos,59] = check(pos2ind([2,3,4],[1,1,1]))
    y[pos,60] = check(isreal(m))
    y[pos,61] = check(iscomplex(m))
    y[pos,62] = check(isscalar(m))
    y[pos,63] = check(isvector(v))
    y[pos,64] = check(ismatrix(m))
    y[pos,65] = check(iscube(m))
    y[pos,66] = check(isstring(m))
    y[pos,67] = check(iscell(m))
    y[pos,68] = check(isfunction(m))
    [a0, b0] = sort(v)
    y[pos,69] = check(a0)
    y[pos,70] = check(b0)
    [a1, b1] = sort(m,0)
    y[pos,71] = check(a1)
    y[pos,72] = check(b1)
endfunction
x = [[3.0,1,4,1,5,9],[2,7,1,8,2,3],[0.5,-2,0,0.25,0,1]]
[y, z] = [zeros(3,73), zeros(3,73)]
parallel_do(3, x, y, 5, 2, in_kernel)
for i = 0..2
    on_host(x, z, i)
endfor
{!interpreted for}
for k = 0..72
    distance = max(abs(y[:,k] - z[:,k]))
    if !(distance <= 0.0001*(1 + max(abs(z[:,k]))))
        print "value ", k, " is ", y[:,k], " in kernels, ", z[:,k], " on the host"
    endif
endfor
print "compared 73 values"
