% Type parameters that are restricted, and sizes that equations give.
type number : [int|scalar]
function y = doubled[T : number](x : vec[T])
    y = vec[T](numel(x))
    for k = 0..numel(x) - 1
        y[k] = 2 * x[k]
    endfor
endfunction
function r = radius[N](mask : mat(2*N+1, 2*N+1))
    r = 10 * N + numel(zeros(N))
endfunction
print doubled([1, 2]), " ", doubled([0.5, 2]), " ", type(doubled([1, 2]))
print radius(ones(5, 5)), " ", radius(ones(1, 1))
