k = 3
b = {x -> x + k}
c = horzcat(b, {x -> x - k})
%   ^ Q0311 not supported yet: joining arrays of functions; store them to elements of a `cell(n)`, or list them in one `{..}`
f = c[0]
