type number : [int|scalar]
x = number("a")
%   ^ Q0304 'number' is not one type that a value could be converted to
c = `1,"x"'
k = (c[0] += 1)
s = "abc"
for k = 1..2
    function shifted = shifted(x)
%            ^ Q0203 output 'shifted' of 'shifted' is not assigned
        y = x + 10*k
    endfunction
    print shifted(1)
    s[0] += "x"
%   ^ Q0316 strings cannot be changed in place
endfor
