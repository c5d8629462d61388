% Products whose factors are transposes: matrices, vectors, and several element types.
function A : mat = numbers(m : int, n : int, k : int)
    A = zeros(m,n)
    for i = 0..m-1
        for j = 0..n-1
            A[i,j] = mod(i*k + j*3, 7) - 2
        endfor
    endfor
endfunction
function [] = of(m : int, n : int, q : int)
    A = numbers(n,m,5)
    B = numbers(n,q,2)
    C = transpose(A)*B
    print size(C), " ", C[0,0], " ", sum(C), " ", max(max(abs(C)))
    D = numbers(m,n,3)
    E = numbers(q,n,4)
    F = D*transpose(E)
    print size(F), " ", F[m-1,q-1], " ", sum(F), " ", sum(mod(F,5))
    G = transpose(A)*transpose(E)
    print size(G), " ", sum(G), " ", sum(mod(G,5))
    v = A[:,0]
    w = transpose(A)*v
    r = zeros(m)
    r[0] = 2
    print size(A*transpose(r)), " ", sum(A*transpose(r))
    print size(w), " ", sum(w)
    u = transpose(A[0,:])
    print size(u), " ", sum(A*u)
    print sum(transpose(B)*(v - 1))
    print sum(transpose(A + 1)*(2*B)), " ", sum(transpose(A)*A)
    z = complex(A, mod(A, 3))
    y = transpose(z)*complex(B, B)
    print sum(real(y)), " ", sum(imag(y))
    h = herm_transpose(z)*complex(B, B)
    print sum(real(h)), " ", sum(imag(h)), " ", sum(abs(herm_transpose(A)*B - C))
    k = imat(n,m)
    l = imat(n,q)
    for i = 0..n-1
        for j = 0..m-1
            k[i,j] = mod(i+j, 4)
        endfor
        for j = 0..q-1
            l[i,j] = mod(i*j, 3)
        endfor
    endfor
    print sum(transpose(k)*l)
    try
        print sum(transpose(A)*numbers(n+1,q,3))
    catch e
        print e
    endtry
endfunction
function [] = main()
    of(3, 4, 2)
    of(40, 50, 30)
    of(50, 400, 3)
    of(4, 300, 60)
    of(1, 9, 80)
endfunction
