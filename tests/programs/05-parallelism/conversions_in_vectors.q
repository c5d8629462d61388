% single: products that are rounded to bytes differ in either precision
% numbers that may not fit, and elements that may be outside, where neighbouring positions are visited together
function y : mat[uint8] = gray(img : cube[uint8], k : int)
    y = zeros[uint8](size(img,0), size(img,1))
    for m = 0..size(img,0)-1
        for n = 0..size(img,1)-1
            y[m,n] = uint8((k*img[m,n,0] + 150*img[m,n,1] + 29*img[m,n,2])/256)
        endfor
    endfor
endfunction
function y : cube[uint8] = warm(img : cube[uint8], more : scalar)
    y = zeros[uint8](size(img,0), size(img,1), 3)
    for m = 0..size(img,0)-1
        for n = 0..size(img,1)-1
            r = float(img[m,n,0])
            b = float(img[m,n,2])
            y[m,n,0] = uint8(0.6*r + 0.3*b + more)
            y[m,n,1] = img[m,n,1]
            y[m,n,2] = uint8(b - 0.2*b - more)
        endfor
    endfor
endfunction
function y : cube[uint8] = inverted(img : cube[uint8], top : int)
    y = zeros[uint8](size(img))
    for m = 0..size(img,0)-1
        for n = 0..size(img,1)-1
            for c = 0..size(img,2)-1
                y[m,n,c] = top - img[m,n,c]
            endfor
        endfor
    endfor
endfunction
function y : mat[int8] = halved(x : mat, shift : scalar)
    y = zeros[int8](int(size(x,0)/2), int(size(x,1)/2))
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = int8((x[2*m,2*n] + x[2*m,2*n+1] + x[2*m+1,2*n] + x[2*m+1,2*n+1])/4 + shift)
        endfor
    endfor
endfunction
function y : mat[int] = summed(x : mat, w : vec, scale : scalar)
    y = zeros[int](size(x,0), size(x,1) - numel(w) + 1)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            s = 0
            for k = 0..numel(w)-1
                s += int(x[m,n+k]*w[k]*scale)
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction
function y : cube[uint8] = coloured(x : mat[uint8], table : mat[uint8], step : int)
    y = zeros[uint8](size(x,0), size(x,1), 3)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..2
                y[m,n,c] = table[step*x[m,n], c]
            endfor
        endfor
    endfor
endfunction
function y : cube = looked_up(x : cube, table : vec'checked, places : ivec'checked, scale : scalar)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..size(x,2)-1
                if x[m,n,c] > 2
                    y[m,n,c] = x[m,n,c]*table[places[int(x[m,n,c]*scale)]]
                endif
            endfor
        endfor
    endfor
endfunction
% adds to what was there
function [] = add_to(y : mat[uint8], x : mat, scale : scalar)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            s = 0.0
            for k = 0..2
                s += x[m,n]*scale*k
            endfor
            y[m,n] = y[m,n] + uint8(s)
        endfor
    endfor
endfunction

function [] = one(name, work)
    try
        y = work()
        v = reshape(float(y), [1, numel(y)])
        print name, " ", sum(v), " ", sum(v .* mod(1..numel(v), 7)), " ", v[0,1], " ", v[0,numel(v)-1]
    catch e
        print name, " failed"
    endtry
endfunction

function [] = main()
    for width = [3, 8, 45]
        img = zeros[uint8](6, width, 3)
        x = zeros(6, width)
        for m = 0..5
            for n = 0..width-1
                x[m,n] = mod(7*m + 5*n, 23)
                for c = 0..2
                    img[m,n,c] = mod(31*m + 17*n + 57*c, 251)
                endfor
            endfor
        endfor
        img[4,width-1,0] = 255
        g = gray(img, 77)
        table = zeros[uint8](256, 3)
        for k = 0..255
            for c = 0..2
                table[k,c] = mod(k*(c+1), 256)
            endfor
        endfor
        w = [0.5, 1.0, 2.0]
        places = zeros[int](23)
        for k = 0..22
            places[k] = 22 - k
        endfor
        lut = (0..22)*0.5
        cube = repmat(x, [1,1,3])
        print width, " wide"
        one("gray", () -> gray(img, 77))
        one("gray too bright", () -> gray(img, 100))
        one("warm", () -> warm(img, 0))
        one("warm above", () -> warm(img, 100))
        one("warm below", () -> warm(img, -1000))
        one("inverted", () -> inverted(img, 255))
        one("inverted below", () -> inverted(img, 254))
        planes = zeros[uint8](2, 3, width)
        planes[1,2,width-1] = 250
        one("inverted planes", () -> inverted(planes, 251))
        one("inverted planes below", () -> inverted(planes, 249))
        one("halved", () -> halved(x, 0))
        one("halved above", () -> halved(x, 110.5))
        one("halved below", () -> halved(x, -150))
        if width > 3
            one("summed", () -> summed(x, w, 3))
            one("summed above", () -> summed(x, w, 1e9))
        endif
        one("coloured", () -> coloured(g, table, 1))
        one("coloured outside", () -> coloured(g, table, 2))
        one("coloured before", () -> coloured(g, table, -1))
        one("looked up", () -> looked_up(cube, lut, places, 1))
        one("looked up outside", () -> looked_up(cube, lut, places, 1.1))
        places[3] = 23
        one("looked up by a place outside", () -> looked_up(cube, lut, places, 1))
        y = zeros[uint8](6, width)
        y[:,:] = 50
        add_to(y, x, 1)
        one("added", () -> y)
        try
            add_to(y, x, 20)
            print "added too much"
        catch e
            print "adding failed"
        endtry
    endfor
endfunction
