function [] = main()
    x = 3
    print $eval(1 + 2)
%         ^ Q0001 not supported yet: the meta function '$eval'
    print $check(x > 2)
%         ^ Q0001 not supported yet: the meta function '$check'
    print $str(x)
%         ^ Q0001 not supported yet: the meta function '$str'
    print $simplify(x > 2)
%         ^ Q0001 not supported yet: the meta function '$simplify'
    print $subs(x=2, x)
%         ^ Q0001 not supported yet: the meta function '$subs'
    print $nops(x + 1)
%         ^ Q0001 not supported yet: the meta function '$nops'
    print $ubound(x)
%         ^ Q0001 not supported yet: the meta function '$ubound'
    print $assump(x)
%         ^ Q0001 not supported yet: the meta function '$assump'
    y = $target("gpu")
    z = $ftype("__host__")
    print y, z
endfunction
