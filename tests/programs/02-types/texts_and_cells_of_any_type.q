function [] = attempt(f)
    try
        print f()
    catch e
        print "error: ", e.message
    endtry
endfunction
function t = text(n : int)
    t = "abc"
    for k = 1..n
        t = t + k
    endfor
endfunction
function y = cells(n : int)
    y : ?? = {1, {2, "three"}, [4, 5], {}}
endfunction
function y = item(c : ??, k : int)
    y = c[k]
endfunction
attempt(() -> text(3))
attempt(() -> numel(text(3)))
attempt(() -> text(1) == "abc1")
attempt(() -> strcat(text(0), "x", text(1)))
attempt(() -> str2num("12.5e1"))
attempt(() -> str2num("twelve"))
attempt(() -> sprintf("%d|%5.2f|%s", 3, 2.345, text(0)))
attempt(() -> item(cells(0), 0))
attempt(() -> item(cells(0), 1))
attempt(() -> item(cells(0), 3))
attempt(() -> item(cells(0), 4))
attempt(() -> item(item(cells(0), 1), 1))
attempt(() -> item(item(cells(0), 1), 1) + 1)
attempt(() -> item(cells(0), 0) + item(cells(0), 2))
attempt(() -> item(cells(0), 0) + item(cells(0), 1))
attempt(() -> item(cells(0), 0)[2])
attempt(() -> numel(cells(0)))
attempt(() -> type(item(cells(0), 2)))
attempt(() -> item(cells(0), 2)[7])
attempt(() -> -item(cells(0), 1))
attempt(() -> [item(cells(0), 0), item(cells(0), 2)])
attempt(() -> item(cells(0), 0) ? 1 : 2)
attempt(() -> item(cells(0), 1) ? 1 : 2)
