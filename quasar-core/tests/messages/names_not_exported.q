% exports
function y = open(x)
%            ^^^^ Q0333 its parameter 'x' has no type
    y = x
endfunction
function y = helper(x) concealed
    y = x
endfunction
function y = exported(x : mat)
    y = helper(x)
endfunction
function y = modified(x : 'const)
%            ^^^^^^^^ Q0333 its parameter 'x' has no type
    y = x
endfunction
function [] = main(x)
    print open(x)
endfunction
