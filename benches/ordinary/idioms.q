% one task as different habits of writing put it

% the sizes in a vector
function y : mat = sharpened_sz(x : mat'clamped)
    sz = size(x)
    y = uninit(sz)
    for m = 0..sz[0]-1
        for n = 0..sz[1]-1
            y[m,n] = 5*x[m,n] - x[m-1,n] - x[m+1,n] - x[m,n-1] - x[m,n+1]
        endfor
    endfor
endfunction

function y : mat = sharpened(x : mat'clamped)
    [M, N] = size(x)
    y = uninit(M, N)
    for m = 0..M-1
        for n = 0..N-1
            y[m,n] = 5*x[m,n] - x[m-1,n] - x[m+1,n] - x[m,n-1] - x[m,n+1]
        endfor
    endfor
endfunction

% a table of weights
function y : mat = sharpened_table(x : mat'clamped)
    w = [[0,-1,0],[-1,5,-1],[0,-1,0]]
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for i = 0..2
                for j = 0..2
                    s += w[i,j]*x[m+i-1,n+j-1]
                endfor
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

% a window and a matrix of weights
function y : mat = sharpened_window(x : mat'clamped, w : mat)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = sum(w .* x[m-1..m+1,n-1..n+1])
        endfor
    endfor
endfunction

function y : mat = sharpened_lambda(x : mat'clamped)
    y = uninit(size(x))
    parallel_do(size(x), __kernel__ (pos : ivec2) -> y[pos] = 5*x[pos] - x[pos+[-1,0]] - x[pos+[1,0]] - x[pos+[0,-1]] - x[pos+[0,1]])
endfunction

% elements that are left out
function y : mat = roots_continue(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            if x[m,n] < 0
                continue
            endif
            y[m,n] = sqrt(x[m,n])
        endfor
    endfor
endfunction

function y : mat = roots_if(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            if x[m,n] >= 0
                y[m,n] = sqrt(x[m,n])
            endif
        endfor
    endfor
endfunction

function y : mat = roots_mask(x : mat)
    y = zeros(size(x))
    y[x >= 0] = sqrt(max(x, 0))
endfunction

% the first of some limits above an element
function y : imat = bins_break(x : mat, t : vec)
    y = zeros[int](size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = numel(t)
            for k = 0..numel(t)-1
                if x[m,n] < t[k]
                    y[m,n] = k
                    break
                endif
            endfor
        endfor
    endfor
endfunction

function y : imat = bins_while(x : mat, t : vec)
    y = zeros[int](size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            k = 0
            while k < numel(t) && x[m,n] >= t[k]
                k += 1
            endwhile
            y[m,n] = k
        endfor
    endfor
endfunction

function y : imat = bins_count(x : mat, t : vec)
    y = zeros[int](size(x))
    for k = 0..numel(t)-1
        y += x >= t[k]
    endfor
endfunction

% rows that sum to one
function y : mat = shares(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        y[m,:] = x[m,:]/sum(x[m,:])
    endfor
endfunction

function y : mat = shares_arrays(x : mat)
    y = x ./ repmat(sum(x, 1), [1, size(x,1)])
endfunction
