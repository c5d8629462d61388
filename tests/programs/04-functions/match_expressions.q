limit = 3
function [] = test(x)
    match x with
    | 1 + 1 -> print "two"
    | limit -> print "limit"
    | ("a", "b") -> print "letter"
    | 2.5 ->
        print "two"
        print "and a half"
    endmatch
endfunction
test(2)
test("b")
test(2.5)
test(99)
print "end"
