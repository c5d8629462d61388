import "sort.q"
function [] = main()
    for n = 1..9
        x = zeros(2, n)
        for k = 0..n-1
            x[0,k] = mod(7*k + 3, 10)
            x[1,k] = -k*k + 4*k
        endfor
        fast_sort(x)
        print x
    endfor
    v = [3,1,2,5,4]
    fast_sort(v)
    print v
    big = zeros(3, 1000)
    for m = 0..2
        for n = 0..999
            big[m,n] = mod(m*31 + n*n*17 + 5*n, 997)
        endfor
    endfor
    sums = sum(big, 1)
    fast_sort(big)
    falls = 0
    for m = 0..2
        for n = 1..999
            falls += big[m,n] < big[m,n-1]
        endfor
    endfor
    print falls, " ", sum(big, 1) - sums
    print prefix_sum([1.0,2,3,4,5]), " ", prefix_sum([[1.0,2,3],[4,5,6]])
    print max(abs(prefix_sum(big) - cumsum(big)))
endfunction
