% optimised, with remarks
function [] = study(A : mat, B : mat, n : int)
    for i = 0..n-1
%   ^ Q0501 Automatic parallelization of the 2-dim FOR loop.
        for j = 0..n-1
            A[i,j] = 2*B[i,j]
        endfor
    endfor
    % The rows depend on each other, the columns do not.
    for i = 1..n-1
        for j = 0..n-1
%       ^ Q0501 Automatic parallelization of the 1-dim FOR loop.
            A[i,j] = A[i-1,j] + 1
        endfor
    endfor
    a = 1.0
    for i = 0..n-1
%   ^ Q0402 Line 20 - 'a': possible data dependency detected for variable! (type 'scalar'). Switching to serialization.
%   ^ Q0501 Automatic serialization of the 1-dim FOR loop.
        a = a/2 + B[i,0]
        A[0,i] = a
    endfor
    % Own elements, elements that differ in every iteration, and a triangle.
    for i = 0..n-1
%   ^ Q0501 Automatic parallelization of the 1-dim FOR loop.
        own = zeros(3)
        own[mod(i,3)] = B[i,i]
        A[i,0] = sum(own) + own[1]
        A[i,1] = A[i,0] + 1
    endfor
    for i = 0..4
%   ^ Q0501 Automatic parallelization of the 1-dim FOR loop.
        A[2*i,0] = A[2*i+1,0] + 1
    endfor
    for i = 0..n-1
%   ^ Q0501 Automatic parallelization of the 1-dim FOR loop.
        for j = 0..i
            A[i,j] = i + j
        endfor
    endfor
    % A value that is used behind the loop.
    for i = 0..n-1
%   ^ Q0402 'last': the value of the last iteration is used after the loop (type 'scalar'). Switching to serialization.
%   ^ Q0501 Automatic serialization of the 1-dim FOR loop.
        last = 2*B[i,0]
        A[i,0] = last
    endfor
    print last
    % Rows of any size are written out.
    for i = 0..n-1
%   ^ Q0501 Automatic parallelization of the 2-dim FOR loop. 
        A[i,:] = B[i,:]
    endfor
    % Threads of the processor make arrays of any size.
    for i = 0..n-1
%   ^ Q0501 Automatic parallelization of the 1-dim FOR loop.
        t = zeros(n)
        t[0] = i
        A[i,0] = sum(t)
    endfor
    % What is no kernel: functions that are computed as a whole.
    for i = 0..n-1
%   ^ Q0501 The threads of the processor share the iterations of the FOR loop: it calls 'fft1'.
        u = fft1(complex(B[i,:]))
        A[i,0] = abs(u[0])
    endfor
    {!interpreted for}
    for i = 0..n-1
        A[i,:] = B[i,:]
    endfor
    {!serial for}
    for i = 0..n-1
%   ^ Q0501 Automatic serialization of the 1-dim FOR loop.
        A[i,0] = i
    endfor
    {!parallel for; dim=1}
    for i = 0..n-1
%   ^ Q0501 Automatic parallelization of the 1-dim FOR loop.
        for j = 0..n-1
            A[i,j] = 3
        endfor
    endfor
    #pragma loop_parallelizer(off)
    for i = 0..n-1
        A[i,0] = 1
    endfor
    #pragma loop_parallelizer(on)
    for i = 0..n-1
%   ^ Q0501 Automatic parallelization of the 1-dim FOR loop.
        A[i,0] = 1
    endfor
endfunction
study(zeros(12,12), ones(12,12), 12)
