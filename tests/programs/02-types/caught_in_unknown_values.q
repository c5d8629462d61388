% An exception that is kept in a value of unknown type still has its message, and types are named as where they are known.
function y : ?? = unknown(x : ??)
    y = x
endfunction
kept = cell(2)
try
    error "first"
catch ex
    kept[0] = ex
endtry
try
    x = zeros(2)
    x[5] = 1
catch ex : qindexexception
    kept[1] = unknown(ex)
endtry
print kept[0].message
text = unknown(kept[1].message)
print strfind(text, "index out of bounds") >= 0
print type(unknown(1.5)) == type(1.5), type(unknown([1.0, 2])), type(unknown(1)), type(unknown("a"))
