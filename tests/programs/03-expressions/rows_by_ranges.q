% One range, or `:`, selects rows of an array of any rank, also where its type is known at run time only.
function [] = show(E : ??)
    print E[1..2]
    k = 2
    print E[1..k], E[k..-1..0], E[0..0.5..1]
end

function [] = known_when_it_runs()
    B = reshape(0..11,4,3)
    show(B)
    show([1,2,3,4])
    show("abcdef")
    show({1,2,3})
    E : ?? = B
    E[0..0] = 5
    E[1..2,0..1] = 9
    print E
    try
        E[2..4] = 5
    catch e
        print "caught"
    end
    C : ?? = {1,2,3}
    C[0..1] = {5,6}
    print C
end

function [] = main()
    A = zeros(2,3)
    A[:] = 7
    print A, sum(A[:])
    B = reshape(0..11, 4, 3)
    print B[1..2], size(B[1..2]), B[:], size(B[:])
    A[0..1] = [[1,2,3],[4,5,6]]
    print A
    A[1..1] += 10
    print A, A[0..2..1]
    C = reshape(0..23, 4, 3, 2)
    print C[1..2], size(C[1..2])
    C[3..3] = -1
    print C[3,2,1], sum(C[:])
    D = reshape(0..3, 4, 1)
    print D[1..2], size(D[1..2])
    D[1..2] = [8,9]
    print D
    E : ?? = B
    print E[1..2], E[:]
    E[0..0] = 5
    print E
    y = zeros(4,3)
    for k = 0..3
        t = B[k..k]
        y[k,:] = sum(t) + B[k]
    end
    print y
    z = copy(B)
    for k = 0..1
        z[2*k..2*k+1] = k
    end
    print z
    v = [1,2,3]
    print v[:], v[0..1]
    s = "abcdef"
    print s[1..2]
    print B[:,1][0..2], (B+1)[0..1], B[1..2] + B[2..3]
    w = B
    w[0..1] *= 2
    print w
    known_when_it_runs()
end
