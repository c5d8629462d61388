% Welcome to Quasar. Ctrl+Enter runs this program: change it,
% and run it again.

% Each sample becomes the mean of its neighbours. 'mirror says
% what lies beyond the ends.
function y = smoothed(x : vec'mirror, reach : int)
    y = zeros(size(x))
    for n = 0..numel(x) - 1
        for k = -reach..reach
            y[n] += x[n + k] / (2 * reach + 1)
        endfor
    endfor
endfunction

t = linspace(0, 2 * pi, 200)
clean = sin(t) + 0.3 * sin(5 * t)
noisy = clean + 0.3 * randn(size(t))

for reach = [0, 2, 4, 8]
    off = smoothed(noisy, reach) - clean
    print "reach ", reach, ": error ", sqrt(mean(off.^2))
endfor

plot(t, noisy, "c.")
hold("on")
plot(t, smoothed(noisy, 4), "b")
plot(t, clean, "k--")
legend("measured", "smoothed", "true")
title("Noise and what smoothing leaves of it")
