% single: prints numbers near the limits of single precision
function [] = powers(x : mat, y : mat, g : scalar)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n] ^ g
        end
    end
end

function [] = show(x : mat, y : mat, g : scalar)
    powers(x, y, g)
    print g, ":", y[0,1], ",", y[1,2], ",", y[2,3], ",", y[3,4], ",", y[24,5], ",", y[25,39]
end

function [] = in_place(x : mat, g : scalar)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            x[m,n] = x[m,n] ^ g
        end
    end
end

function [] = fading(x : mat, y : mat, limit : scalar)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = x[m,n]
            if v < limit
                y[m,n] = 3 * v ^ 0.5 - v ^ -1.5
            else
                y[m,n] = -1
            endif
        end
    end
end

x = 4 * ones(26,40)
y = zeros(26,40)
x[1,2] = 0
x[2,3] = -4
x[3,4] = 1/0
x[24,5] = 1e-40
show(x, y, 0.5)
show(x, y, 2)
show(x, y, -1)
show(x, y, 0)
show(x, y, 100)
fading(x, y, 10)
print y[0,1], ",", y[1,2], ",", y[2,3], ",", y[3,4], ",", y[25,39]
in_place(x, 0.5)
print x[0,1], ",", x[1,2], ",", x[2,3], ",", x[3,4], ",", x[25,39]
