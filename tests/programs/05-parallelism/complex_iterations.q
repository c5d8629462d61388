% single: iterations go different ways where numbers have more digits
% Loops that make complex numbers of themselves: Mandelbrot's and Julia's sets, Newton's method, phasors, and what stands between: branches,
% choices, functions that take the number as a whole, numbers that loops read and elements of arrays.

function y : imat = mandelbrot(rows : int, cols : int, limit : int)
    y = uninit[int](rows, cols)
    for m = 0..rows-1
        for n = 0..cols-1
            c = complex(-2.0 + 3.0*n/cols, -1.5 + 3.0*m/rows)
            z = complex(0.0, 0.0)
            k = 0
            while k < limit && real(z)^2 + imag(z)^2 <= 4
                z = z*z + c
                k += 1
            endwhile
            y[m,n] = k
        endfor
    endfor
endfunction

function y : imat = julia(rows : int, cols : int, limit : int)
    y = uninit[int](rows, cols)
    for m = 0..rows-1
        for n = 0..cols-1
            z = complex(-1.5 + 3.0*n/cols, -1.5 + 3.0*m/rows)
            k = 0
            while k < limit && abs(z) <= 2
                z = z^2 + complex(-0.75, 0.125)
                k += 1
            endwhile
            y[m,n] = k
        endfor
    endfor
endfunction

% the root to which Newton's method goes, or none
function y : imat = roots(rows : int, cols : int)
    y = uninit[int](rows, cols)
    for m = 0..rows-1
        for n = 0..cols-1
            z = complex(-1.5 + 3.0*n/cols, -1.51 + 3.0*m/rows)
            for k = 0..29
                d = 3*z*z
                if abs(d) < 1e-6
                    break
                endif
                z = z - (z*z*z - 1)/d
            endfor
            y[m,n] = real(z) > 0.5 ? 1 : (imag(z) > 0.5 ? 2 : (imag(z) < -0.5 ? 3 : 0))
        endfor
    endfor
endfunction

function [] = turned(x : cmat, y : cmat, a : cscalar, times : int)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            z = x[m,n]
            w = conj(z)
            for k = 1..times
                t = z
                z = mod(k + n, 3) == 0 ? w : z*a
                if mod(k + m, 2) == 0
                    w = -w*t + 1
                else
                    w = 2i*w - z
                endif
                z = complex(mod(int(real(z)), 7), mod(int(imag(z)), 5))
                w = complex(mod(int(real(w)), 5), mod(int(imag(w)), 3))
            endfor
            y[m,n] = z + 10*w
        endfor
    endfor
endfunction

% sums of products with powers of a root of one
function y : cvec = transformed(x : cvec)
    y = czeros(numel(x))
    for k = 0..numel(x)-1
        s = complex(0.0, 0.0)
        t = complex(1.0, 0.0)
        w = k == 0 ? complex(1.0, 0.0) : (k == 1 ? -1i : (k == 2 ? complex(-1.0, 0.0) : 1i))
        for n = 0..numel(x)-1
            s += x[n]*t
            t *= w
        endfor
        y[k] = s
    endfor
endfunction

function s : int = digest(x : imat)
    s = 0
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s += x[m,n]*(mod(5*m + 3*n, 13) + 1)
        endfor
    endfor
endfunction

function [] = main()
    print digest(mandelbrot(40, 70, 60)), " ", digest(julia(33, 50, 60)), " ", digest(roots(24, 36))
    for N = [1, 8, 17, 40]
        x = czeros(3, N)
        for m = 0..2
            for n = 0..N-1
                x[m,n] = complex(mod(3*n + m, 7), mod(n*m, 5))
            endfor
        endfor
        y = czeros(3, N)
        turned(x, y, complex(1.0, 2.0), 5)
        print y[2,N-1], " ", sum(y), " ", sum(real(y).*imag(y))
    endfor
    print transformed([1+2i, 3, -1i, 2.5])
    % what is no number stays so
    x = czeros(1, 20)
    x[0,3] = complex(1e30, 1e30)
    y = czeros(1, 20)
    for n = 0..19
        z = x[0,n]
        for k = 0..2
            z = z^2 + 1
        endfor
        y[0,n] = z
    endfor
    print y[0,0], " ", isnan(real(y[0,3])) || isinf(real(y[0,3])) ? 1 : 0
endfunction
