% Statistics along dimensions of arrays that kernels made, and what is computed with them.
function x = numbers(rows : int, columns : int)
    x = zeros(rows, columns)
    for m = 0..rows-1
        for n = 0..columns-1
            x[m,n] = mod(7*m + 3*n + m*n, 16) - 4
        end
    end
end

function y = centred_columns(x : mat)
    y = (x - repmat(mean(x, 0), [size(x,0), 1])) ./ repmat(std(x, 0), [size(x,0), 1])
end

function y = softmax_of_rows(x : mat)
    largest = transpose(maxdim(x, 1))
    e = exp(x - repmat(transpose(largest), [1, size(x,1)]))
    y = e ./ repmat(sum(e, 1), [1, size(x,1)])
end

function [] = main()
    x = numbers(300, 200)
    print sum(sum(x, 0)), " ", sum(sum(x, 1)), " ", sum(x)
    print size(sum(x, 0)), " ", size(sum(x, 1))
    print sum(x, 0)[0..4], " ", transpose(sum(x, 1))[0, 0..4]
    print mean(x, 0)[0..2], " ", mean(x)
    print var(x, 0)[0..2]
    print mindim(x, 0)[0..4], " ", transpose(maxdim(x, 1))[0, 0..4]

    y = centred_columns(x)
    print max(abs(mean(y, 0))) < 1e-5, " ", max(abs(std(y, 0) - 1)) < 1e-5
    z = softmax_of_rows(x)
    print max(abs(sum(z, 1) - 1)) < 1e-5, " ", min(z) > 0, " ", max(z) < 1

    % One long row, one long column, a few columns.
    for dims = {[1, 60000], [60000, 1], [20000, 3]}
        t = numbers(dims[0], dims[1])
        print sum(sum(t, 0)), " ", sum(sum(t, 1)), " ", sum(maxdim(t, 0)), " ", abs(std(t) - sqrt(var(t))) < 1e-6
    end

    % Three dimensions, along each of them.
    c = reshape(x, [30, 40, 50])
    print size(sum(c, 0)), " ", size(sum(c, 1)), " ", size(sum(c, 2)), " ", sum(sum(c, 0)), " ", sum(sum(c, 1)), " ", sum(sum(c, 2))
end
