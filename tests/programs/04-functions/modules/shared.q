% Imported by module_variables_in_kernels.q: a device function that reads a variable of this module, of which that has no name.
scale = [10.0, 20]
function y = __device__ offset_of(k)
    y = scale[0] + k
endfunction
function [] = move(by : scalar)
    scale[0] = by
endfunction
