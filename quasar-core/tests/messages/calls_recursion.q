function y = endless(n)
%            ^ Q0323 the result types of this recursive function cannot be inferred; declare them
    y = endless(n - 1)
endfunction
function y = growing(x)
    y = growing({x, x})
%       ^ Q0323 this call needs ever new instances of the function; declare the types of its parameters and outputs
endfunction
print endless(3)
print growing(1)
