% Arrays that kernels made, joined, repeated, reversed, shifted and with permuted dimensions.
function x = numbers(rows : int, columns : int, first : int)
    x = zeros(rows, columns)
    for m = 0..rows-1
        for n = 0..columns-1
            x[m,n] = first + 10*m + n
        end
    end
end

function [] = main()
    x = numbers(2, 3, 1)
    y = numbers(2, 2, 100)
    z = numbers(1, 3, 500)
    print horzcat(x, y, x)
    print vertcat(x, z)
    print cat(0, z, x, z), " ", size(cat(2, x, x)), " ", cat(2, x, 2*x)[:,:,1]
    print repmat(z, [2,2]), " ", repmat(x, [1,2]), " ", size(repmat(x, [1,1,3]))
    print fliplr(x), " ", flipud(x), " ", rot90(x), " ", rot90(x, 2), " ", rot90(x, 3)
    print circshift(x, 1), " ", circshift(x, [0,-1]), " ", fftshift2(x)
    print shuffledims(x, [1,0]), " ", reshape(x, [3,2])
    v = x[1,:]
    print horzcat(v, v), " ", circshift(v, 1), " ", fliplr(v)
    c = reshape(numbers(4, 6, 0), [2,3,4])
    print size(shuffledims(c, [2,0,1])), " ", shuffledims(c, [2,0,1])[3,:,:], " ", shuffledims(c, [0,2,1])[1,:,0]
    % Types become one.
    print horzcat(int(x), y), " ", vertcat(uint8(x), int(z))
    % Large ones by their sums and places.
    a = numbers(300, 400, 0)
    b = horzcat(a, fliplr(a))
    print size(b), " ", sum(sum(b, 0) - circshift(fliplr(sum(b, 0)), 0)), " ", b[7,400], " ", b[299,799]
    r = repmat(sum(a, 0), [300, 1])
    print size(r), " ", sum(maxdim(r, 0) - mindim(r, 0)), " ", r[299,399] - r[0,399]
    p = shuffledims(a, [1,0])
    print size(p), " ", sum(sum(p, 1) - transpose(sum(a, 0)))
end
