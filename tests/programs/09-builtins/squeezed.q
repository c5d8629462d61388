% squeeze where the compiler does not know the extents: an array of its own, with the rank of its type.
type box : mutable class
    a : mat
endtype
function y : mat = f(o : box, x : cube)
    s = squeeze(o.a)
    s[0,0] = 9
    y = o.a
    print(size(squeeze(x)), " ", squeeze(x)[1,2,0])
    c = {x[0,:,:], x[0,:,:]}
    t = squeeze(c[0])
    t[0,0] = 9
    print(c[0][0,0])
endfunction
function [] = main()
    o = box(a := zeros(2,2))
    o.a = zeros(2,2)
    x = zeros(1,3,4)
    x[0,1,2] = 5
    print(f(o, x))
endfunction
