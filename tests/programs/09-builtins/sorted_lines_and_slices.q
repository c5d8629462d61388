% Sorted rows and columns, places, slices and products of arrays that kernels made.
function x = numbers(rows : int, columns : int)
    x = zeros(rows, columns)
    for m = 0..rows-1
        for n = 0..columns-1
            x[m,n] = mod(31*m + 17*n + m*n, 50)
        end
    end
end

function [] = main()
    x = numbers(4, 5)
    print sort(x, 0), " ", sort(x, 1)
    [s, k] = sort(x, 1)
    print s[1,:], " ", k[1,:], " ", sort(x[2,:])
    print argmax(x), " ", argmin(x), " ", find(x > 40), " ", norm(x[0,:] - 17), " ", dotprod(x[0,:], x[1,:])
    print diag(x), " ", kron([[1,2],[0,1]], x[0..1,0..1])
    print mean(x[:,1..3], 0), " ", sum(x[3..-1..0,:], 1)[0..1,0], " ", horzcat(x[:,4], x[:,0..2..4])
    print max(x[x > 10 && x < 30]), " ", squeeze(reshape(x, [4,1,5]))[3,4]

    y = numbers(500, 300)
    z = sort(y, 0)
    ascending = all(z[1..499,:] >= z[0..498,:])
    print ascending, " ", sum(y) - sum(z), " ", sum(z[0,:]), " ", sum(z[499,:])
    [t, p] = sort(y, 1)
    print sum(t[:,299]), " ", sum(p) - 500*300*299/2, " ", y[7, p[7,0]] - t[7,0]
    print argmax(y), " ", norm(y), " ", dotprod(y, y), " ", size(find(y == 0))
end
