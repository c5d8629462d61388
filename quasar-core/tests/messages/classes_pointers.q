type node : mutable class
    value : int
    next : ^node
endtype
type leaf : node
    name : string
endtype
type other : class
    x : int
endtype
function [] = take(n : node)
    print n.value
endfunction
function [] = main()
    l : leaf = leaf(1, nullptr, "l")
    n : node = l
    m : leaf = n
%              ^ Q0310 expected 'leaf', found 'node'
    p : ^leaf = n
%               ^ Q0310 expected '^leaf', found 'node'
    q : ^node = l
    o : ^node = other(1)
%               ^ Q0310 expected '^node', found 'other'
    take(nullptr)
%        ^ Q0324 argument 'n' of 'take' must be 'node', found 'nullptr' the signature is take(n : node)
    take(other(1))
%        ^ Q0324 argument 'n' of 'take' must be 'node', found 'other' the signature is take(n : node)
    take(q)
    n.next = other(2)
%            ^ Q0310 expected '^node', found 'other'
    x = n
%   ^ Q0325 the type of 'x' is known at run time only: it has the types 'other', 'node' on different paths
    if n.value > 3
        x = other(3)
    endif
    print m, p, o, x.next
endfunction
