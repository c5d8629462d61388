% Texts of lists, blanks at ends, beginnings and ends.
function [] = main()
    words = strsplit("the quick  fox", " ")
    print strjoin(words, "-"), " ", strjoin(words), " ", strjoin({1, "a", [1,2]}, ", "), "|", strjoin({}, ","), "|"
    print strjoin([1,2,3], "+"), " ", strjoin([0.5,1.25], " "), " ", strjoin([1+2j], "")
    print "<", strtrim("  padded	"), "><", strtrim(""), "><", strtrim("x y"), ">"
    print startswith("image.png", "im"), startswith("im", "image"), endswith("image.png", ".png"), endswith("", "x"), endswith("x", "")
    names = {"a.q", "b.txt", "c.q"}
    for name = names
        if endswith(name, ".q")
            print strtrim(" " + name)
        endif
    endfor
    try
        print strjoin("text", ",")
    catch e
        print e.message
    endtry
endfunction
