function y : scalar = __device__ dev(x : scalar)
    y = host(x)
%       ^ Q0401 device function 'dev' cannot call the host function 'host'
endfunction
function y = host(x)
    print x
    y = x
endfunction
function [] = __kernel__ calls(x : vec, pos : int)
    x[pos] = dev(x[pos])
endfunction
function [] = __kernel__ applies(x : vec, f, pos : int)
    x[pos] = f(x[pos])
%            ^ Q0401 kernel function 'applies' cannot call the host function 'host'
endfunction
function [] = main()
    parallel_do(3, zeros(3), calls)
    parallel_do(3, zeros(3), host, applies)
endfunction
