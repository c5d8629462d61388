% filters written in other ways

function y : mat = filter_7(x : mat'mirror, w : mat(7,7))
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for dy = -3..3
                for dx = -3..3
                    s += w[dy+3,dx+3]*x[m+dy,n+dx]
                endfor
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

% into the array, the origin computed
function y : mat = filter_into(x : mat'clamped, k : mat)
    y = zeros(size(x))
    [a, b] = size(k)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for i = 0..a-1
                for j = 0..b-1
                    y[m,n] += k[i,j] * x[m+i-int(a/2),n+j-int(b/2)]
                endfor
            endfor
        endfor
    endfor
endfunction

% a radius that is given
function y : mat = box_any(x : mat'mirror, r : int)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for dy = -r..r
                for dx = -r..r
                    s += x[m+dy,n+dx]
                endfor
            endfor
            y[m,n] = s/(2*r+1)^2
        endfor
    endfor
endfunction
