% Elements at the places where conditions hold, of arrays that kernels made.
function x = numbers(rows : int, columns : int)
    x = zeros(rows, columns)
    for m = 0..rows-1
        for n = 0..columns-1
            x[m,n] = mod(31*m + 17*n, 100)
        end
    end
end

function [] = main()
    x = numbers(3, 5)
    print x[x > 40], " ", numel(x[x > 1000]), " ", numel(x[x >= 0])
    b = uint8(x)
    print b[x < 20], " ", int(x)[x > 80]
    y = numbers(700, 300)
    z = y[y > 49]
    print numel(z), " ", min(z), " ", max(z), " ", sum(z), " ", sum(y .* (y > 49))
    w = y[y == 7]
    print numel(w), " ", sum(w - 7), " ", mean(y[y > 89])
    y[y > 49] = 0
    print sum(y), " ", numel(y[y > 0]), " ", numel(find(y > 48))
end
