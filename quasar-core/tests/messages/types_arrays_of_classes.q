type number : [scalar|int]
function y = total(x : vec[number])
    y = sum(x)
endfunction
function [] = main()
    print total([1j,2])
%               ^ Q0324 argument 'x' of 'total' must be 'vec[number]', found 'cvec(2)' the signature is total(x : vec[number])
    print total({"a","b"})
%               ^ Q0324 must be 'vec[number]', found 'vec[string]'
    x : vec[number] = "text"
%                     ^ Q0310 expected 'vec[number]', found 'string'
    y : number = "text"
%                ^ Q0310 expected 'number', found 'string'
    print x, y
endfunction
