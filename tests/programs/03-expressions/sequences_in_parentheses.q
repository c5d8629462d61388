% Several expressions in parentheses have the value of the last; printing is an expression there. Bodies of lambdas reach as far
% to the right as they can.
w = (s = 3; s + 1)
both = (a, b) -> (s = a + b; print(s); 10 * s)
print both(1, 2), " ", w
y = zeros(3)
set = k -> y[k] = k > 1 ? 5 : 6
for k = 0..2
    set(k)
endfor
print y
choose = x -> x > 0 && x < 3 || x == 7
print choose(2), choose(5), choose(7)
print (s = 4; s + 2)
print (s <- 8)
print (s < -8)
print s
