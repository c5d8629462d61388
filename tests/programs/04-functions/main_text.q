% arguments: 12 13
% A number is a text where a text is asked for.
function [] = main(name : string, second = 5)
    print strcat("<", name, ">"), second + 1
endfunction
