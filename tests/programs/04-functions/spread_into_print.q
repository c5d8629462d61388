% `print` and `strcat` take spread arguments of any length, at any place.
function [] = log(level : string, ...args)
    print "[", level, "] ", ...args
endfunction
function [] = twice(args)
    print ...args, " and ", ...args
endfunction
function y = text(c)
    y = strcat("<", ...c, ">")
endfunction
function [] = main()
    log("info", "x = ", 3, " of ", [1,2])
    log("done")
    log("warning", {1, "a"})
    twice({1, "z", 2.5})
    some = cell(3)
    some[0] = 5
    some[1] = "q"
    some[2] = [1,2]
    twice(some)
    print text(some), text({}), text({"only"})
    v = (0..4)*2
    print("positive: ", ...v[v > 1], ".")
    print ...v
    long = zeros(70) + 1
    print ...long, "!"
    print -1, ...[2,3]
endfunction
