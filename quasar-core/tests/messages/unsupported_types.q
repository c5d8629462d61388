function [] = main()
    z : cscalar'half = 1 + 2i
%               ^ Q0001 not supported yet: complex numbers of half precision
    t : mat[{{int,string},{int,string}}] = {{1,"a"},{2,"b"}}
%                                          ^ Q0310 expected 'vec[{vec[{int,string}],vec[{int,string}]}]', found 'vec[vec[{int,string}]]'
    u = type(t, mat[{{int,string},{int,string}}])
    print z, t, u
endfunction
