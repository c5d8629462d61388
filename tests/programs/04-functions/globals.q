count = 0
function [] = bump(by : int)
    count2 = count + by
    print count2
endfunction
bump(3)
count = 10
bump(3)
