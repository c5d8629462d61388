function y = __device__ g(x : scalar)
    s = vec[string](3)
%       ^ Q0404 strings cannot be used in device function 'g'
    t : string
%   ^ Q0404 strings cannot be used in device function 'g'
    y = x + numel(vec[string](2))
%                 ^ Q0404 strings cannot be used in device function 'g'
endfunction
print g(1)
