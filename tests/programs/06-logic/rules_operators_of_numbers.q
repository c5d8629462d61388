% For numbers, operators with a point are those without: rules match both. For matrices they are not.
reduction (a : scalar) -> doubled(a .* 2) = "twice " + a
reduction (a : scalar) -> again(a * 2) = "twice " + a
reduction (a : scalar) -> root(a ^ 2) = "square of " + a
reduction (a : scalar, b : scalar) -> parts(a ./ b) = "a " + b + "th of " + a
reduction (a : mat, b : mat) -> times(a * b) = "product"
reduction (a : mat, b : mat) -> times(a .* b) = "elements"
reduction (a : vec, b : scalar) -> times(a * b) = "scaled"
% Operators on functions, applied to what they take.
reduction (f, g, x) -> products((f .* g)(x), x) = f(10.0)*g(10.0)
reduction (f, g, x) -> sums((f + g)(x), x) = f(10.0) + 1000*g(10.0)
reduction (f, g, x) -> ratios((f / g)(x), x) = f(10.0)/g(10.0)
reduction (f, g, x) -> differences((f - g)(x), x) = f(10.0) - g(10.0)
function [] = main()
    x = 2.5
    print doubled(1.5 * 2), ", ", doubled(2 .* 1.5), ", ", doubled(x .* 2), ", ", again(1.5 .* 2), ", ", again(2 * 1.5)
    print root(x ^ 2), ", ", root(x .^ 2), ", ", parts(x / 5), ", ", parts(x ./ 5)
    m = ones(2,2)
    print times(m * m), ", ", times(m .* m), ", ", times([1.0,2] * 3), ", ", times(3 * [1.0,2])
    print products(x*x .* (x-1), x), " ", products(x*x * (x-1), x), " ", sums(x*x + (x-1), x)
    print ratios(x*x*9 / (x-1), x), " ", differences(x*x - (x+1), x)
endfunction
