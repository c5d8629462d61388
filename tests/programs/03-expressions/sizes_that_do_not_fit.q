function [] = attempt(f)
    try
        f()
    catch e : qsizeexception
        print "size: ", e.message
    catch e
        print "other: ", e.message
    endtry
endfunction
function [] = select(x : vec, v : vec)
    y = x
    y[y > 1] = v
    print y
endfunction
attempt(() -> select([0, 2, 3], [7, 8]))
attempt(() -> select([0, 2, 3], [7]))
attempt(() -> print(sum(zeros(0))))
function v = numbers(n : int)
    v = zeros(n)
endfunction
attempt(() -> print(max(numbers(0))))
attempt(() -> print(min(numbers(0)) + 1))
attempt(() -> print(max(numbers(0) + 1)))
attempt(() -> print(prod(numbers(0)), " ", mean(numbers(0))))
attempt(() -> print(reshape(numbers(3), [2, 2])))
attempt(() -> print(numbers(3) + numbers(2)))
attempt(() -> print(ones(2, 2) * transpose(numbers(3))))
