% Conditions of rules that call functions; conditions and comparisons match in either order.
function y = even(n : int)
    y = mod(n,2) == 0
endfunction
function y = pick(n)
    y = "other"
endfunction
reduction (n : int) -> pick(n) = "even" where even(n)
reduction (n : int) -> pick(n) = "big" where n > 10
function y = run(n : int)
    y = pick(n)
endfunction
print run(4), " ", run(11), " ", run(12), " ", run(3)
reduction (a : int) -> eq(a == 3) = "eq"
reduction (a : int) -> ne(a != 3) = "ne"
reduction (a : int) -> mn(min(a, 3)) = "min"
reduction (a : int, b : int) -> either((a > 5) || (b < 2)) = "or"
reduction (a : int, b : int) -> both((a > 5) && (b < 2)) = "and"
function [] = orders(n : int)
    print eq(n == 3), " ", eq(3 == n), " ", ne(n != 3), " ", ne(3 != n), " ", mn(min(n,3)), " ", mn(min(3,n))
    print either((n > 5) || (n < 2)), " ", either((n < 2) || (n > 5)), " ", both((n > 5) && (n < 2)), " ", both((n < 2) && (n > 5))
endfunction
orders(1)
