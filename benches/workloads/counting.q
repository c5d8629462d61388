% counts of the values of each channel, with the channels last
function h : imat = count_channels(x : cube)
    h = zeros[int](3, 256)
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            for c = 0..2
                h[c, int(x[i,j,c])] += 1
            endfor
        endfor
    endfor
endfunction

% the same over planes
function h : imat = count_planes(x : cube)
    h = zeros[int](3, 256)
    for c = 0..2
        for i = 0..size(x,1)-1
            for j = 0..size(x,2)-1
                h[c, int(x[c,i,j])] += 1
            endfor
        endfor
    endfor
endfunction

% one image
function h : ivec = count_gray(x : mat)
    h = zeros[int](256)
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            h[int(x[i,j])] += 1
        endfor
    endfor
endfunction

% values of two images together
function h : mat = joint(x : mat, y : mat)
    h = zeros(64, 64)
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            h[int(x[i,j]/4), int(y[i,j]/4)] += 1
        endfor
    endfor
endfunction
