function [] = main()
    x = 3
    print $subs(x=2, x)
%         ^ Q0001 not supported yet: the meta function '$subs'
    print $assump(x)
%         ^ Q0001 not supported yet: the meta function '$assump'
    y = $target("gpu")
    z = $ftype("__host__")
    print y, z
endfunction
