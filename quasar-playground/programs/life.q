% Conway's game of life. 'circular makes a torus of the world:
% beyond the last row comes the first.
function y = next(x : mat'circular)
    y = zeros(size(x))
    for m = 0..size(x, 0) - 1
        for n = 0..size(x, 1) - 1
            around = sum(x[m-1..m+1, n-1..n+1]) - x[m, n]
            y[m, n] = around == 3 || (around == 2 && x[m, n] > 0)
        endfor
    endfor
endfunction

world = zeros(48, 48)
% A glider, and five cells that live on for long.
world[1, 2] = 1
world[2, 3] = 1
world[3, 1..3] = 1
world[25, 24..25] = 1
world[26, 23..24] = 1
world[27, 24] = 1

for step = 0..80
    if mod(step, 16) == 0
        subplot(2, 3, int(step / 16) + 1)
        imshow(world, [0, 1])
        title(sprintf("step %d", step))
        print "step ", step, ": ", sum(world), " cells"
    endif
    world = next(world)
endfor
