% Versions of functions and kernels that capture variables.
function [] = main()
    a = 10.0
    v = [1.0,2.0,3.0]
    scaled = (x : scalar, k : int) -> k > 2 ? a*x : x
    large = $specialize(scaled, k > 2)
    three = $specialize(scaled, k == 3)
    a = 20.0
    print large(2.0, 5), " ", three(2.0), " ", scaled(2.0, 1)
    function y = pick(n : int, d : scalar)
        if n == 0
            y = d
        else
            y = v[n] + a
        endif
    endfunction
    second = $specialize(pick, n == 1)
    v[1] = 7
    print second(0.5), " ", pick(0, 0.5)
    print $specialize(t -> t*a, t == 2)()
    w = zeros(3)
    function [] = __kernel__ fill(factor : scalar, way : int, pos : int)
        if way == 1
            w[pos] = factor*a
        else
            w[pos] = v[pos]
        endif
    endfunction
    parallel_do(3, 2.0, $specialize(fill, way == 1))
    print w
    parallel_do(3, 2.0, 0, fill)
    print w
    list = {large, scaled}
    print list[0](1.0, 4)
    chosen = w[0] > 100 ? large : scaled
    print chosen(1.0, 4)
endfunction
