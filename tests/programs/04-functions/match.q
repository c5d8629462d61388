function y = name(k)
    match k with
    | 0 -> y = "zero"
    | (1, 2) -> y = "few"
    | _ ->
        y = "many"
    endmatch
endfunction
print name(0), " ", name(2), " ", name(9)
match "b" with
| "a" -> print "first"
| "b" -> print "second"
endmatch
