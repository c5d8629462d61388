name = "first"
name = "second"
mixed : cell = {1, "x"}
function [] = __kernel__ read(y : vec, pos : int)
    y[pos] = numel(name)
%                  ^ Q0402 the module-level variable 'name' cannot be used in kernel or device code: it has the type 'string'
    y[pos] += numel(mixed)
%                   ^ Q0402 the module-level variable 'mixed' cannot be used in kernel or device code: it has the type 'cube{:}[??]'
endfunction
parallel_do(3, zeros(3), read)
print name, mixed
