% A module with a mistake.
function y : mat = brighter(x : mat'mirror, amount : scalar)
    y = x + amuont
endfunction
