% Whether two arrays may be one is decided for each access once, however many branches stand before it.
function [] = sift(x : vec, y : vec)
    {!serial for}
    for k = 1..numel(x)-1
        for j = 0..2
            if x[k] > 1
                y[k] = x[k-1]
            elseif x[k] > 0
                y[k] = 1
            endif
            if x[k] > 2
                y[k] += x[k]
            elseif x[k] > 1
                y[k] += 2
            endif
            if x[k] > 3
                y[k] += x[k]
            elseif x[k] > 2
                y[k] += 3
            endif
            if x[k] > 4
                y[k] += x[k]
            elseif x[k] > 3
                y[k] += 4
            endif
            if x[k] > 5
                y[k] += x[k]
            elseif x[k] > 4
                y[k] += 5
            endif
            if x[k] > 6
                y[k] += x[k]
            elseif x[k] > 5
                y[k] += 6
            endif
            if x[k] > 7
                y[k] += x[k]
            elseif x[k] > 6
                y[k] += 7
            endif
            if x[k] > 8
                y[k] += x[k]
            elseif x[k] > 7
                y[k] += 8
            endif
        end
    end
end

function [] = main()
    x = [0.0, 1, 2, 3, 4]
    y = zeros(5)
    sift(x, y)
    print y
end
