function [] = main(kind : string)
    y = create_array("a", 3, 4, kind)
%                               ^ Q0312 options must be literals
    z = create_array("a", "gzip")
%                         ^ Q0312 expected a size
    w = create_array("a", 3, 4, "uint8", "gzip")
    w[0,0] = "text"
%            ^ Q0310 expected 'uint8'
    u = open_array(3)
%                  ^ Q0312 expected a string
endfunction
