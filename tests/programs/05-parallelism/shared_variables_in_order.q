% What a block does with shared memory in the order of the program.
function y = __device__ cube(x : scalar)
    y = x^3
endfunction

function [] = __kernel__ everything(x : mat, y : mat, z : vec, M : int, pos : int, blkpos : int)
    % values of each form
    S : 'shared = x[0..3,0..3]
    T : 'shared = [1,2,3,4]
    U : 'shared = sum(x[0..4,:],1)
    V : 'shared = T + x[0,0..3]
    C : 'shared = 0..2..6
    y[0,0..3] = V
    y[1..4,2..3] = S[:,0..1]
    y[5,0..3] = C
    y[6..9,0] = U[0..3,0]
    % each iteration needs the one before
    P : 'shared = ones(6)
    for k=1..5
        P[k] += 2*P[k-1]
    endfor
    y[10,0..3] = P[2..5]
    % one statement for the whole block
    P[0] = 7
    P[1] += sum(P)
    y[11,0] = P[1]
    if M > 3
        P[:] = cube(M)
    endif
    y[11,1] = P[3]
    % places that depend on the thread
    W : 'shared = zeros(4)
    W[mod(blkpos,4)] += x[pos,0]
    y[12,0..3] = W
    W = zeros(4)
    W[mod(blkpos,4)] ^^= pos
    y[13,0..3] = W
    % folds
    y[14,0] = min(S)
    y[14,1] = prod(T)
    y[14,2] = sum(S[0,0..2]) + sum(S.*S)
    k = 0
    while k < sum(T)
        k += 4
    endwhile
    z[pos] = k + max(V) + P[blkpos]
endfunction

x = zeros(6,7)
for i=0..5
    for j=0..6
        x[i,j] = mod(3*i+j,8)
    endfor
endfor
y = zeros(15,4)
z = zeros(6)
parallel_do(6, x, y, z, 4, everything)
print y
print z
