% Inner loops whose branches accumulate, and what they read is inside of arrays where a branch is taken only.
function y = choose(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for k = 0..size(x,1)-1
            if k > 0 && x[m,k] > 0.5
                y[m,k] = x[m,k-1]
            else
                y[m,k] = 0.5
            endif
        endfor
    endfor
endfunction
function y = choose2(x : mat)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        t = zeros(size(x,1))
        for k = 0..size(x,1)-1
            if k > 0 && x[m,k] > 0.5
                t[k] = x[m,k-1]
            else
                t[k] = 0.5
            endif
        endfor
        y[m] = sum(t)
    endfor
endfunction
function y = choose3(x : mat)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        s = 0.0
        for k = 0..size(x,1)-1
            if k > 0 && x[m,k] > 0.5
                v = x[m,k-1]
            else
                v = 0.25
            endif
            s += v
        endfor
        y[m] = s
    endfor
endfunction
function y = choose4(x : mat)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        s = 0.0
        for k = 0..size(x,1)-1
            s += (k > 0 && x[m,k] > 0.5) ? x[m,k-1] : 0.25
        endfor
        y[m] = s
    endfor
endfunction
function y = counts(x : mat, t : scalar)
    y = zeros(size(x,0), 6)
    for m = 0..size(x,0)-1
        n = 0
        s = 0.0
        lo = 1e30
        p = 1.0
        d2 = 0.0
        e = 0.0
        for k = 0..size(x,1)-1
            v = x[m,k]
            if v > t
                n += 1
                s += v
                d = v - t
                d2 += d*d
            else
                e += v
                lo = min(lo, v)
                if v > t - 0.25
                    p *= 1.0
                    s -= 1
                endif
            endif
        endfor
        y[m,:] = [n, s, lo, p, d2, e]
    endfor
endfunction
function y = nearest_in(x : mat, t : scalar)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        best = 1e9
        for k = 0..size(x,1)-1
            if x[m,k] > t
                best = min(best, x[m,k])
            endif
        endfor
        y[m] = best
    endfor
endfunction
function y = bits(x : imat)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        a = 0
        b = 0
        for k = 0..size(x,1)-1
            if mod(x[m,k],3) == 1
                a = or(a, x[m,k])
            elseif x[m,k] > 50
                b = xor(b, x[m,k])
            endif
        endfor
        y[m] = a*1000+b
    endfor
endfunction
function y = limited(x : mat)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        s = 0.0
        for k = 0..size(x,1)-1
            if s < 10
                s += x[m,k]
            endif
        endfor
        y[m] = s
    endfor
endfunction
function y = last(x : mat)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        s = 0.0
        d = 0.0
        for k = 0..size(x,1)-1
            if x[m,k] > 0.5
                d = x[m,k]
                s += d
            endif
        endfor
        y[m] = s + d
    endfor
endfunction
function y = before(x : mat)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        s = 0.0
        for k = 0..size(x,1)-1
            if k > 0 && x[m,k] > 0.5
                s += x[m,k-1]
            endif
        endfor
        y[m] = s
    endfor
endfunction
function [] = main()
    x = zeros(80, 333)
    xi = imat(80, 333)
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            x[i,j] = mod(i * 31 + j * 17 + i * j, 64) / 64
            xi[i,j] = mod(i * 31 + j * 17 + i * j, 97)
        endfor
    endfor
    print sum(floor(choose(x) * 64)), " ", sum(floor(choose2(x))), " ", sum(floor(choose3(x))), " ", sum(floor(choose4(x)))
    a = counts(x, 0.5)
    print round(a[7,:] * 16), " ", sum(a[:,0]), " ", sum(round(a[:,1])), " ", sum(a[:,3])
    c = bits(xi)
    print sum(nearest_in(x, 0.25)), " ", sum(mod(c, 1000)), " ", max(c), " ", sum(floor(limited(x))), " ", sum(floor(last(x))), " ", sum(floor(before(x)))
endfunction
