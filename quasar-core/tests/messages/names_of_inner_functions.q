function y = outer(x)
    function z = inner(a)
        z = a
    endfunction
    y = inner(x)
endfunction
print outer(1)
print inner(2)
%     ^ Q0201 unknown name 'inner'
