import "colortransform.q"
img = zeros(1,2,3)
img[0,0,:] = [255,255,255]
img[0,1,:] = [255,0,0]
print round(rgb2gray(img))
h = rgb2hsv(img)
print h[0,1,:], h[0,0,1]
back = hsv2rgb(h)
print max(abs(back - img)) < 1e-2
print max(abs(ycbcr2rgb(rgb2ycbcr(img)) - img)) < 0.1, " ", max(abs(lab2rgb(rgb2lab(img)) - img)) < 0.5
print abs(round(rgb2lab(img)[0,0,:]))
