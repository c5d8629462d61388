function y : scalar = __device__ f(x : scalar)
    y = x
endfunction
function [] = main()
    print $inline(f(1.0))
%         ^ Q0001 not supported yet: the meta function '$inline'
    g = $specialize(f, x == 1)
%       ^ Q0001 not supported yet: the meta function '$specialize'
    h = $elevate(f)
%       ^ Q0001 not supported yet: the meta function '$elevate'
    k = $args[in](f)
%       ^ Q0001 not supported yet: the meta function '$args'
endfunction
