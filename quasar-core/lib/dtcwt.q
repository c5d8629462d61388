% dtcwt.q: dual-tree complex wavelet transforms of images and volumes that repeat themselves beyond their ends (N. Kingsbury, "Complex
% wavelets for shift invariant analysis and filtering of signals", 2001; I. Selesnick, R. Baraniuk and N. Kingsbury, "The dual-tree
% complex wavelet transform", 2005). Two wavelet transforms, whose filters differ by a delay of half a sample, are the real and the
% imaginary part of one of complex numbers. Their moduli hardly change when the image moves, and they tell directions apart.

import "dwt.q"

% Scaling filters of both trees, one a row. Farras: for the first level, where trees differ by a whole sample (A. F. Abdelnour
% and I. Selesnick, "Nearly symmetric orthogonal wavelet bases", 2001).
filtercoeff_farras : 'const = [[0, -0.08838834764832, 0.08838834764832, 0.695879989034, 0.695879989034, 0.08838834764832, -0.08838834764832, 0.01122679215254, 0.01122679215254, 0], [0.01122679215254, 0.01122679215254, -0.08838834764832, 0.08838834764832, 0.695879989034, 0.695879989034, 0.08838834764832, -0.08838834764832, 0, 0]]

% For the levels behind it: the shorter filters of N. Kingsbury's "A dual-tree complex wavelet transform with improved orthogonality
% and symmetry properties", 2000; those of one tree are those of the other backwards.
filtercoeff_dualfilt : 'const = [[0.03516384, 0, -0.08832942, 0.23389032, 0.76027237, 0.5875183, 0, -0.11430184, 0, 0], [0, 0, -0.11430184, 0, 0.5875183, 0.76027237, 0.23389032, -0.08832942, 0, 0.03516384]]

% For the same levels, smoother: four vanishing moments, made by the method of I. Selesnick, "The design of approximate Hilbert
% transform pairs of wavelet bases", 2002 (K = 4, L = 2, the factor with the least phase).
filtercoeff_selcw : 'const = [[0.10551299638619, 0.49778791966437, 0.76427077233968, 0.29410532186805, -0.2318260578528, -0.09449781904639, 0.08626760473711, 0.0063400853645, -0.01730095791146, 0.0034099405034, 0.00018242348783, -0.00003866716738], [0.02110259927724, 0.26837837815078, 0.71296571402588, 0.60554342503545, -0.04756378837084, -0.21442746591224, 0.03479951450047, 0.05259187168222, -0.01665606238072, -0.00478609193274, 0.00245880413452, -0.00019333583692]]

% The filters of a transform: those of the first level and those of the others.
type complex_orthogonal_wavelet : class
    first : mat
    next  : mat
endtype

% The scaling filter of a tree (0 or 1) at a level, counted from 1.
function h : vec = scaling_filter(w : complex_orthogonal_wavelet, level : int, tree : int)
    bank = w.first
    if level > 1
        bank = w.next
    endif
    h = zeros(size(bank,1))
    for k = 0..size(bank,1)-1
        h[k] = bank[tree,k]
    endfor
endfunction

function [] = check_trees(name : string, w : complex_orthogonal_wavelet, extents : ivec, levels : int)
    if size(w.first,0) != 2 || size(w.next,0) != 2
        error(name, ": filters of ", size(w.first,0), " and ", size(w.next,0), " trees, expected 2")
    endif
    if mod(size(w.first,1), 2) != 0 || mod(size(w.next,1), 2) != 0
        error(name, ": filters of ", size(w.first,1), " and ", size(w.next,1), " taps, expected even numbers")
    endif
    if levels < 0 || levels > 30
        error(name, ": ", levels, " levels, expected 0 to 30")
    endif
    for k = 0..numel(extents)-1
        if mod(extents[k], int(2^levels)) != 0
            error(name, ": the size ", extents, " is not divisible by 2^", levels)
        endif
    endfor
endfunction

% ---- one level along one dimension of a volume

function y : cube = split_along(x : cube, axis : int, h : vec)
    g = wavelet_filter(h)
    if axis == 2
        rows = reshape(x, [size(x,0)*size(x,1), size(x,2)])
        y = reshape(dwt_rows(rows, h, g), [size(x,0), size(x,1), size(x,2)])
    elseif axis == 1
        turned = shuffledims(x, [0,2,1])
        rows = reshape(turned, [size(x,0)*size(x,2), size(x,1)])
        y = shuffledims(reshape(dwt_rows(rows, h, g), [size(x,0), size(x,2), size(x,1)]), [0,2,1])
    else
        turned = shuffledims(x, [2,1,0])
        rows = reshape(turned, [size(x,2)*size(x,1), size(x,0)])
        y = shuffledims(reshape(dwt_rows(rows, h, g), [size(x,2), size(x,1), size(x,0)]), [2,1,0])
    endif
endfunction

function x : cube = join_along(y : cube, axis : int, h : vec)
    g = wavelet_filter(h)
    if axis == 2
        rows = reshape(y, [size(y,0)*size(y,1), size(y,2)])
        x = reshape(idwt_rows(rows, h, g), [size(y,0), size(y,1), size(y,2)])
    elseif axis == 1
        turned = shuffledims(y, [0,2,1])
        rows = reshape(turned, [size(y,0)*size(y,2), size(y,1)])
        x = shuffledims(reshape(idwt_rows(rows, h, g), [size(y,0), size(y,2), size(y,1)]), [0,2,1])
    else
        turned = shuffledims(y, [2,1,0])
        rows = reshape(turned, [size(y,2)*size(y,1), size(y,0)])
        x = shuffledims(reshape(idwt_rows(rows, h, g), [size(y,2), size(y,1), size(y,0)]), [2,1,0])
    endif
endfunction

% ---- one real transform; `trees` says for each dimension of a volume which tree's filters it has

% The dimensions from `from` on are transformed, so that an image is a volume of one slice.
function y : cube = tree_forward(x : cube, w : complex_orthogonal_wavelet, J : int, trees : ivec, from : int)
    y = copy(x)
    extents = [size(x,0), size(x,1), size(x,2)]
    for level = 1..J
        part : cube = y[0..extents[0]-1, 0..extents[1]-1, 0..extents[2]-1]
        for axis = from..2
            part = split_along(part, axis, scaling_filter(w, level, trees[axis]))
        endfor
        y[0..extents[0]-1, 0..extents[1]-1, 0..extents[2]-1] = part
        for axis = from..2
            extents[axis] = int(extents[axis]/2)
        endfor
    endfor
endfunction

function x : cube = tree_inverse(y : cube, w : complex_orthogonal_wavelet, J : int, trees : ivec, from : int)
    x = copy(y)
    for step = 1..J
        level = J+1-step
        extents = [size(y,0), size(y,1), size(y,2)]
        for axis = from..2
            extents[axis] = int(extents[axis]/int(2^(level-1)))
        endfor
        part : cube = x[0..extents[0]-1, 0..extents[1]-1, 0..extents[2]-1]
        for axis = from..2
            part = join_along(part, axis, scaling_filter(w, level, trees[axis]))
        endfor
        x[0..extents[0]-1, 0..extents[1]-1, 0..extents[2]-1] = part
    endfor
endfunction

% ---- images

function y : cube = one_slice(x : mat)
    y = zeros(1, size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[0,m,n] = x[m,n]
        endfor
    endfor
endfunction

% The transform of an image over J levels: two complex images y[0,:,:] and y[1,:,:], ordered as dwt2 orders, whose details point
% upwards and downwards; six directions at each level. The sum of all squared moduli is that of the image.
function y : ccube = dtcwt2(x : mat, w : complex_orthogonal_wavelet, J : int = 1)
    check_trees("dtcwt2", w, size(x), J)
    slice = one_slice(x)
    aa = tree_forward(slice, w, J, [0,0,0], 1)
    ab = tree_forward(slice, w, J, [0,0,1], 1)
    ba = tree_forward(slice, w, J, [0,1,0], 1)
    bb = tree_forward(slice, w, J, [0,1,1], 1)
    y = ccube(2, size(x,0), size(x,1))
    scale = 1/sqrt(8.0)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[0,m,n] = scale*complex(aa[0,m,n]-bb[0,m,n], ab[0,m,n]+ba[0,m,n])
            y[1,m,n] = scale*complex(aa[0,m,n]+bb[0,m,n], ba[0,m,n]-ab[0,m,n])
        endfor
    endfor
endfunction

% The image from its transform.
function x : mat = idtcwt2(y : ccube, w : complex_orthogonal_wavelet, J : int = 1)
    check_trees("idtcwt2", w, [size(y,1), size(y,2)], J)
    if size(y,0) != 2
        error("idtcwt2: ", size(y,0), " images, expected 2")
    endif
    rows = size(y,1)
    columns = size(y,2)
    aa : cube = zeros(1, rows, columns)
    ab : cube = zeros(1, rows, columns)
    ba : cube = zeros(1, rows, columns)
    bb : cube = zeros(1, rows, columns)
    % The transform is four orthogonal ones, each of half the length.
    scale = 1/sqrt(8.0)
    for m = 0..rows-1
        for n = 0..columns-1
            aa[0,m,n] = scale*(real(y[0,m,n])+real(y[1,m,n]))
            bb[0,m,n] = scale*(real(y[1,m,n])-real(y[0,m,n]))
            ab[0,m,n] = scale*(imag(y[0,m,n])-imag(y[1,m,n]))
            ba[0,m,n] = scale*(imag(y[0,m,n])+imag(y[1,m,n]))
        endfor
    endfor
    total = tree_inverse(aa, w, J, [0,0,0], 1)
    total += tree_inverse(ab, w, J, [0,0,1], 1)
    total += tree_inverse(ba, w, J, [0,1,0], 1)
    total += tree_inverse(bb, w, J, [0,1,1], 1)
    x = zeros(rows, columns)
    for m = 0..rows-1
        for n = 0..columns-1
            x[m,n] = total[0,m,n]
        endfor
    endfor
endfunction

% ---- volumes

% The sign of tree 1 in the k-th of the four complex volumes, for each dimension: the first has none.
function s : scalar = tree_sign(k : int, axis : int)
    s = 1.0
    if (axis == 1 && and(k, 1) != 0) || (axis == 2 && and(k, 2) != 0)
        s = -1.0
    endif
endfunction

% What a real transform counts for in the k-th complex volume: a product of 1 and ±i, one for each dimension.
function c : cscalar = tree_weight(k : int, trees : ivec)
    c = complex(1.0, 0.0)
    for axis = 0..2
        if trees[axis] == 1
            c = c*complex(0.0, tree_sign(k, axis))
        endif
    endfor
endfunction

% The transform of a volume over J levels as a whole: four complex volumes y[0..3,:,:,:], 28 directions at each level. The sum
% of all squared moduli is that of the volume.
function y : ccube{4} = dtcwt3d_untiled(x : cube, w : complex_orthogonal_wavelet, J : int = 1)
    check_trees("dtcwt3d_untiled", w, size(x), J)
    y = ccube{4}(4, size(x,0), size(x,1), size(x,2))
    scale = 1/sqrt(32.0)
    for tree = 0..7
        trees = [and(tree, 1), int(and(tree, 2)/2), int(and(tree, 4)/4)]
        part = tree_forward(x, w, J, trees, 0)
        for k = 0..3
            c = scale*tree_weight(k, trees)
            for l = 0..size(x,0)-1
                for m = 0..size(x,1)-1
                    for n = 0..size(x,2)-1
                        y[k,l,m,n] = y[k,l,m,n] + c*part[l,m,n]
                    endfor
                endfor
            endfor
        endfor
    endfor
endfunction

% The volume from its transform.
function x : cube = idtcwt3d_untiled(y : ccube{4}, w : complex_orthogonal_wavelet, J : int = 1)
    check_trees("idtcwt3d_untiled", w, [size(y,1), size(y,2), size(y,3)], J)
    if size(y,0) != 4
        error("idtcwt3d_untiled: ", size(y,0), " volumes, expected 4")
    endif
    x = zeros(size(y,1), size(y,2), size(y,3))
    scale = 1/sqrt(32.0)
    for tree = 0..7
        trees = [and(tree, 1), int(and(tree, 2)/2), int(and(tree, 4)/4)]
        part : cube = zeros(size(y,1), size(y,2), size(y,3))
        for k = 0..3
            c = scale*conj(tree_weight(k, trees))
            for l = 0..size(x,0)-1
                for m = 0..size(x,1)-1
                    for n = 0..size(x,2)-1
                        part[l,m,n] += real(c*y[k,l,m,n])
                    endfor
                endfor
            endfor
        endfor
        x += tree_inverse(part, w, J, trees, 0)
    endfor
endfunction

% The transform of images over J levels and its inverse as functions.
function [forward, inverse] = build_dtcwt(w : complex_orthogonal_wavelet, J : int)
    forward = (x : mat) -> dtcwt2(x, w, J)
    inverse = (y : ccube) -> idtcwt2(y, w, J)
endfunction
