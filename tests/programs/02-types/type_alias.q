type pair : vec(2)
function y = difference(p : pair)
    y = p[1] - p[0]
endfunction
q : pair = [3,5.5]
print difference(q), " ", difference([1.0,2])
