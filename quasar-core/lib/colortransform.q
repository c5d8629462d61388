% colortransform.q: colour spaces. Images are cube(:,:,3); RGB values run from 0 to 255 as imread gives them. Matrices are
% those of ITU-R BT.601 (YCbCr, gray) and of sRGB with the D65 white point (XYZ, IEC 61966-2-1); L*a*b* is CIE 1976.

% Luma of an RGB image: 0.299 R + 0.587 G + 0.114 B.
function y : mat = rgb2gray(c : cube(:,:,3))
    y = zeros(size(c,0), size(c,1))
    for m = 0..size(c,0)-1
        for n = 0..size(c,1)-1
            y[m,n] = 0.299*c[m,n,0] + 0.587*c[m,n,1] + 0.114*c[m,n,2]
        endfor
    endfor
endfunction

% Each pixel multiplied by a 3x3 matrix.
function y : cube(:,:,3) = colortransform(C : mat(3,3), img : cube(:,:,3))
    y = zeros(size(img,0), size(img,1), 3)
    for m = 0..size(img,0)-1
        for n = 0..size(img,1)-1
            for k = 0..2
                y[m,n,k] = C[k,0]*img[m,n,0] + C[k,1]*img[m,n,1] + C[k,2]*img[m,n,2]
            endfor
        endfor
    endfor
endfunction

function y : cube(:,:,3) = rgb2ycbcr(img : cube(:,:,3))
    y = colortransform([[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]], img)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n,1] = y[m,n,1] + 128
            y[m,n,2] = y[m,n,2] + 128
        endfor
    endfor
endfunction

function y : cube(:,:,3) = ycbcr2rgb(img : cube(:,:,3))
    y = zeros(size(img,0), size(img,1), 3)
    for m = 0..size(img,0)-1
        for n = 0..size(img,1)-1
            b = img[m,n,1] - 128
            r = img[m,n,2] - 128
            y[m,n,0] = img[m,n,0] + 1.402*r
            y[m,n,1] = img[m,n,0] - 0.344136*b - 0.714136*r
            y[m,n,2] = img[m,n,0] + 1.772*b
        endfor
    endfor
endfunction

% Hue in [0,360), saturation and value in [0,1].
function y : cube(:,:,3) = rgb2hsv(img : cube(:,:,3))
    y = zeros(size(img,0), size(img,1), 3)
    for m = 0..size(img,0)-1
        for n = 0..size(img,1)-1
            r = img[m,n,0]/255
            g = img[m,n,1]/255
            b = img[m,n,2]/255
            v = max(max(r, g), b)
            d = v - min(min(r, g), b)
            h = 0.0
            if d > 0
                if v == r
                    h = 60*mod((g - b)/d, 6.0)
                elseif v == g
                    h = 60*((b - r)/d + 2)
                else
                    h = 60*((r - g)/d + 4)
                endif
            endif
            y[m,n,0] = h
            y[m,n,1] = v > 0 ? d/v : 0.0
            y[m,n,2] = v
        endfor
    endfor
endfunction

function y : cube(:,:,3) = hsv2rgb(img : cube(:,:,3))
    y = zeros(size(img,0), size(img,1), 3)
    for m = 0..size(img,0)-1
        for n = 0..size(img,1)-1
            v = img[m,n,2]
            c = v*img[m,n,1]
            for k = 0..2
                % The channel is a trapezoid in the hue, shifted by a third of the circle for each.
                t = mod(img[m,n,0]/60 + mod(5.0 - 2*k, 6.0), 6.0)
                y[m,n,k] = 255*(v - c*clamp(min(t, 4 - t), 0.0, 1.0))
            endfor
        endfor
    endfor
endfunction

function y : scalar = __device__ srgb_to_linear(x : scalar)
    y = x <= 0.04045 ? x/12.92 : ((x + 0.055)/1.055)^2.4
endfunction

function y : scalar = __device__ linear_to_srgb(x : scalar)
    y = x <= 0.0031308 ? 12.92*x : 1.055*max(x, 0.0)^(1/2.4) - 0.055
endfunction

function y : cube(:,:,3) = rgb2xyz(img : cube(:,:,3))
    linear = zeros(size(img,0), size(img,1), 3)
    for m = 0..size(img,0)-1
        for n = 0..size(img,1)-1
            for k = 0..2
                linear[m,n,k] = srgb_to_linear(img[m,n,k]/255)
            endfor
        endfor
    endfor
    y = colortransform([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]], linear)
endfunction

function y : cube(:,:,3) = xyz2rgb(img : cube(:,:,3))
    linear = colortransform([[3.2404542, -1.5371385, -0.4985314], [-0.969266, 1.8760108, 0.041556], [0.0556434, -0.2040259, 1.0572252]], img)
    y = zeros(size(img,0), size(img,1), 3)
    for m = 0..size(img,0)-1
        for n = 0..size(img,1)-1
            for k = 0..2
                y[m,n,k] = 255*linear_to_srgb(linear[m,n,k])
            endfor
        endfor
    endfor
endfunction

function y : scalar = __device__ lab_curve(t : scalar)
    y = t > 0.008856452 ? cbrt(t) : t/0.128418549 + 0.137931034
endfunction

function y : scalar = __device__ lab_curve_inverse(t : scalar)
    y = t > 0.206896552 ? t*t*t : 0.128418549*(t - 0.137931034)
endfunction

function y : cube(:,:,3) = rgb2lab(img : cube(:,:,3))
    xyz = rgb2xyz(img)
    y = zeros(size(img,0), size(img,1), 3)
    for m = 0..size(img,0)-1
        for n = 0..size(img,1)-1
            fx = lab_curve(xyz[m,n,0]/0.95047)
            fy = lab_curve(xyz[m,n,1])
            fz = lab_curve(xyz[m,n,2]/1.08883)
            y[m,n,0] = 116*fy - 16
            y[m,n,1] = 500*(fx - fy)
            y[m,n,2] = 200*(fy - fz)
        endfor
    endfor
endfunction

function y : cube(:,:,3) = lab2rgb(img : cube(:,:,3))
    xyz = zeros(size(img,0), size(img,1), 3)
    for m = 0..size(img,0)-1
        for n = 0..size(img,1)-1
            fy = (img[m,n,0] + 16)/116
            xyz[m,n,0] = 0.95047*lab_curve_inverse(fy + img[m,n,1]/500)
            xyz[m,n,1] = lab_curve_inverse(fy)
            xyz[m,n,2] = 1.08883*lab_curve_inverse(fy - img[m,n,2]/200)
        endfor
    endfor
    y = xyz2rgb(xyz)
endfunction
