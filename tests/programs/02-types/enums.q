type color : enum
    Red
    Green = 5
    Blue
endtype
function n = index(c : color)
    match c with
    | Red -> n = 1
    | Green -> n = 2
    | Blue -> n = 3
    endmatch
endfunction
c = color.Blue
print c, " ", c == color.Blue, " ", c == 6, " ", c == color.Red
print index(color.Red), index(color.Green), index(c)
