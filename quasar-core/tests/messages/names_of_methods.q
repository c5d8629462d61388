    import "list.q"
function [] = main()
    v = [1,2]
    print v.max()
%           ^ Q0201 no function 'max' takes 'ivec(2)' as its first argument it is called as max(..)
    l = List[int]()
    l[0] = 3
%   ^ Q0316 'List[int]' cannot be indexed its elements are read by 'get', as in object.get(..)
    print l[0]
%         ^ Q0316 'List[int]' cannot be indexed its elements are read by 'get', as in object.get(..)
endfunction
