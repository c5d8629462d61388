% regions.q: components, distances, holes and thresholds; the values are those of scikit-image (`measure.label`) and SciPy
% (`ndimage.distance_transform_edt`, `binary_fill_holes`).
import "regions.q"
function x : mat = pattern(h : int, w : int)
    x = zeros(h, w)
    for m = 0..h-1
        for n = 0..w-1
            x[m,n] = mod(m*m*5 + 3*n*n + m*n, 11) < 6 ? 1.0 : 0.0
        endfor
    endfor
endfunction

x = pattern(9, 12)
[four, n] = label_components(x, 4)
print n
print four
[eight, n] = label_components(x)
print n
print eight
print component_areas(eight, n)
print remove_small_components(x, 4, 4)
print fill_holes(x)
y = ones(6, 9)
y[4,3] = 0
y[0,8] = 0
print distance_transform(y)
print distance_transform(ones(1,2))
print otsu_threshold([[1.0,2,1,2],[9,10,9,11],[1,2,9,10]])

% no foreground, nothing but foreground, one row
[none, n] = label_components(zeros(2,3))
print n, " ", sum(none)
[all, n] = label_components(ones(3,2), 4)
print n, " ", sum(all)
[row, n] = label_components([[1.0,0,1,1]])
print n, " ", row
try
    [row, n] = label_components(ones(2,2), 6)
catch e
    print e.message
endtry
