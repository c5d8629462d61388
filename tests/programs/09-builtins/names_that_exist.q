% `exist` is decided where it stands: variables that have a value, functions, types and builtin functions.
type color : enum
    Red
    Green
endtype
function y = twice(x)
    y = 2*x
endfunction
limit = 3
print exist("limit"), " ", exist("later"), " ", exist("twice"), " ", exist("color"), " ", exist("sum"), " ", exist("vec")
later = 1
print exist("later"), " ", exist("no such name"), " ", exist("pi")
function [] = inside(given, ...rest)
    own = 5
    if given > 1
        perhaps = 1
    endif
    name = "own"
    print exist("own"), " ", exist("given"), " ", exist("rest"), " ", exist("perhaps"), " ", exist("limit"), " ", exist(name)
    if exist("fast_version")
        print fast_version(given)
    else
        print twice(given)
    endif
endfunction
inside(4)
% What devices there are differs from machine to machine.
print isstring(device_info()), " ", gpu_freemem() >= 0
