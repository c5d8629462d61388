% masks kept, find, conditional sums, clipping, thresholding images
function y = threshold(x, t)
    y = copy(x)
    y[x < t] = 0
    y[x >= t] = 255
endfunction
function [] = main()
    x = reshape(float(mod(37*(0..15), 16)), [4,4])
    print threshold(x, 8)
    m = x > 10
    print sum(m), " ", sum(x[m]), " ", mean(x[x <= 10])
    x[m] = -x[m]
    print x
    x[x < 0] += 100
    print x
    x[x > 50 && x < 90] = 1
    print x
    y = x
    y[!(y > 5)] = 7
    print y
    v = [3,8,1,9,4]
    v[v > 3] = [10,20,30]
    print v
    w = v[v > 5 || v == 1]
    print w
    idx = find(v > 5)[:,1]
    print v[idx]
    print max(min(v, 20), 5)
    k = v == 10
    print k, " ", any(k), all(k), sum(k * 2)
    n = [1,0,1]
    print v[n]
endfunction
