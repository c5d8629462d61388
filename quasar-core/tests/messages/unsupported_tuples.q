function [] = change(t)
    t[0] = 2
%   ^ Q0001 not supported yet: replacing an element of a cell whose elements have different types declare the variable as 'cell' where it gets its value
    t[1] += "y"
%   ^ Q0001 not supported yet: replacing an element of a cell whose elements have different types declare the variable as 'cell' where it gets its value
endfunction
function [] = main()
    change({1, "x", [1,2]})
    print type(1 + numel(sprintf("%d", 3)), "uint8")
endfunction
