function [] = main()
    break
%   ^ Q0206 'break' outside of a loop
    for k = 1..3
        continue other
%                ^ Q0206 no enclosing loop has the label 'other'
    endfor
    for k = "abc"
%           ^ Q0315 a loop runs over a sequence or vec, found 'string'
        print k
    endfor
    for k = 0..0..3
%           ^ Q0317 the step of a sequence must not be 0
        print k
    endfor
endfunction
