% arguments: 4 picture.png 2.5 a 7
% Command-line arguments: fixed ones, an optional one that is given, the rest.
function [] = main(count : int, name : string, factor = 10, ...rest)
    print count * 2, " ", name, " ", factor
    print numel(rest)
    for k = 0..numel(rest)-1
        print rest[k]
    endfor
endfunction
