function [] = main()
    count = 3
    print cuont
%         ^ Q0201 unknown name 'cuont'
    y = lenght([1,2])
%       ^ Q0201 unknown name 'lenght'
    z : vecc = [1,2]
%       ^ Q0201 unknown type 'vecc'
    w : 'cirular = [1,2]
%        ^ Q0303 unknown type modifier 'cirular'
    print y, z, w
endfunction
