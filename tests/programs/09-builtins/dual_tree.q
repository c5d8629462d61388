% Dual-tree complex wavelets: orthogonal filters, the image back, moduli that hardly change when an image moves.
import "dtcwt.q"
import "dwt.q"

% How far the filters of both trees are from being orthogonal to themselves moved by two samples, and of length 1.
function worst : scalar = defect(bank : mat)
    worst = 0.0
    for tree = 0..1
        for shift = 0..2..size(bank,1)-1
            overlap = shift == 0 ? -1.0 : 0.0
            for k = shift..size(bank,1)-1
                overlap += bank[tree,k]*bank[tree,k-shift]
            endfor
            worst = max(worst, abs(overlap))
        endfor
    endfor
endfunction

function x : mat = scene(rows : int, columns : int)
    x = zeros(rows, columns)
    for m = 0..rows-1
        for n = 0..columns-1
            x[m,n] = mod(m*n + 3*m, 17) - 8 + (m > n ? 20 : 0)
        endfor
    endfor
endfunction

% How much the energy of the coarsest details varies when a step moves: 0 not at all.
function spread : scalar = variation(energy : vec)
    spread = (max(energy) - min(energy))/mean(energy)
endfunction

function energy : scalar = details(y : ccube)
    up = y[0, 0..7, 8..15]
    down = y[1, 0..7, 8..15]
    energy = sum(real(up).^2) + sum(imag(up).^2) + sum(real(down).^2) + sum(imag(down).^2)
endfunction

function y : mat = step_at(place : int)
    y = zeros(64, 64)
    for m = 0..63
        for n = place..place+31
            y[m,n] = 1
        endfor
    endfor
endfunction

function [] = main()
    print defect(filtercoeff_farras) < 1e-6, " ", defect(filtercoeff_dualfilt) < 1e-6, " ", defect(filtercoeff_selcw) < 1e-6
    x = scene(24, 40)
    for w = {complex_orthogonal_wavelet(filtercoeff_farras, filtercoeff_dualfilt), complex_orthogonal_wavelet(filtercoeff_farras, filtercoeff_selcw)}
        for J = 1..3
            y = dtcwt2(x, w, J)
            back = idtcwt2(y, w, J)
            energy = sum(real(y).^2) + sum(imag(y).^2)
            print size(y), " ", max(abs(back - x)) < 1e-4, " ", abs(energy/sum(x.^2) - 1) < 1e-5
        endfor
    endfor
    w = complex_orthogonal_wavelet(filtercoeff_farras, filtercoeff_dualfilt)

    % Details of level 3 along the rows: columns 8 to 15 of rows 0 to 7.
    smooth = complex_orthogonal_wavelet(filtercoeff_farras, filtercoeff_selcw)
    ordinary = zeros(8)
    short = zeros(8)
    long = zeros(8)
    for k = 0..7
        image = step_at(8 + k)
        ordinary[k] = sum(dwt2(image, db4, 3)[0..7, 8..15].^2)
        short[k] = details(dtcwt2(image, w, 3))
        long[k] = details(dtcwt2(image, smooth, 3))
    endfor
    print variation(ordinary) > 1.5, " ", variation(short) < 0.4, " ", variation(long) < 0.11

    % Stripes that rise are seen by one of the two images.
    stripes = zeros(64, 64)
    for m = 0..63
        for n = 0..63
            stripes[m,n] = cos(2*pi*(m + n)*11/64)
        endfor
    endfor
    y = dtcwt2(stripes, w, 2)
    up = y[0, 16..31, 16..31]
    down = y[1, 16..31, 16..31]
    a = sum(real(up).^2) + sum(imag(up).^2)
    b = sum(real(down).^2) + sum(imag(down).^2)
    print max(a, b) > 20*min(a, b)

    v = uninit(8, 12, 4)
    for l = 0..7
        for m = 0..11
            for n = 0..3
                v[l,m,n] = mod(l*l + 5*m*n + l*n, 13)
            endfor
        endfor
    endfor
    z = dtcwt3d_untiled(v, w, 2)
    energy = sum(real(z).^2) + sum(imag(z).^2)
    print size(z), " ", max(abs(idtcwt3d_untiled(z, w, 2) - v)) < 1e-4, " ", abs(energy/sum(v.^2) - 1) < 1e-5

    [forward, inverse] = build_dtcwt(w, 2)
    print max(abs(inverse(forward(x)) - x)) < 1e-4
    try
        print dtcwt2(x, w, 4)
    catch e
        print e.message
    endtry
    try
        print idtcwt2(ccube(3, 8, 8), w, 1)
    catch e
        print e.message
    endtry
endfunction
