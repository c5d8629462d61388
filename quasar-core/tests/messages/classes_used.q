type point : class
    x : scalar
    at : vec2
    v : vec
endtype
type data : mutable class
    n : int
    next : ^data
endtype
function [] = show(d : data)
    print d
endfunction
function [] = main()
    p = point(1, [1, 2], [3, 4])
    p.x = 3
%     ^ Q0345 the field 'x' cannot be changed: class 'point' is not mutable declare it as 'mutable class', or make a new object
    p.x += 1
%     ^ Q0345 the field 'x' cannot be changed: class 'point' is not mutable declare it as 'mutable class', or make a new object
    p.at[0] = 1
%     ^ Q0345 the field 'at' cannot be changed: class 'point' is not mutable declare it as 'mutable class', or make a new object
    p.v[0] = 1
    print p.z, p.xx, p.X
%           ^ Q0343 class 'point' has no field 'z' did you mean 'x'?
%                ^ Q0343 class 'point' has no field 'xx' did you mean 'x'?
%                      ^ Q0343 class 'point' has no field 'X' did you mean 'x'?
    d = data()
    d.n = "t"
%         ^ Q0310 expected 'int', found 'string'
    d.n = 1.5
%         ^ Q0314 implicit conversion from 'scalar' to 'int' write int(..) to convert on purpose
    d.next = p
%            ^ Q0310 expected '^data', found 'point'
    d.next = 3
%            ^ Q0310 expected '^data', found 'int'
    d.n : int = 4
%         ^ Q0310 the type of a field stands in its class
    d.w += 1
%     ^ Q0343 class 'data' has no field 'w' did you mean 'n'?
    d.show = 3
%     ^ Q0343 class 'data' has no field 'show' 'show' is a function; call it, as in object.show(..)
    d.show(1)
%          ^ Q0313 too many arguments for show(d : data)
    p.show()
%   ^ Q0324 argument 'd' of 'show' must be 'data', found 'point' the signature is show(d : data)
    d.print_all()
%     ^ Q0201 no function 'print_all' takes 'data' as its first argument define it: function .. = print_all(self : data, ..)
    print p + 1, p == d, p == 3, p == nullptr, p < p, p && p
%         ^ Q0312 '+' needs numbers or arrays of numbers, found 'point'
%                ^ Q0346 'point' and 'data' are never the same object
%                        ^ Q0346 'point' and 'int' are never the same object
%                                              ^ Q0312 '<' needs numbers or arrays of numbers, found 'point'
%                                                     ^ Q0312 '&&' needs numbers or arrays of numbers, found 'point'
    nullptr.x = 3
%           ^ Q0312 a value of type 'nullptr' has no field 'x'
    print nullptr.x
%                 ^ Q0312 a value of type 'nullptr' has no field 'x'
    if d
%      ^ Q0315 a condition must be a number or an array of numbers, found 'data'
        print 1
    endif
    e = data[int]
%       ^ Q0306 type 'data' takes 0 arguments, found 1
    d[0] = 3
%   ^ Q0316 'data' cannot be indexed
    print d[0], size(d), sin(d), d.n.z, d(3)
%         ^ Q0316 'data' cannot be indexed
%                    ^ Q0312 expected an array, found 'data'
%                            ^ Q0312 'sin' needs numbers or arrays of numbers, found 'data'
%                                    ^ Q0312 a value of type 'int' has no field 'z'
%                                       ^ Q0207 a value of type 'data' cannot be called; use [..] for indices
    for i = d
%           ^ Q0315 a loop runs over a sequence or vec, found 'data'
        print i
    endfor
    point = 3
    print point(1)
%         ^ Q0207 a value of type 'int' cannot be called; use [..] for indices
endfunction
