% dynamic programming: edit distance, knapsack, LIS, fibonacci memo
function d : int = levenshtein(a : string, b : string)
    m = numel(a)
    n = numel(b)
    D = zeros[int](m+1, n+1)
    for i = 0..m
        D[i,0] = i
    endfor
    for j = 0..n
        D[0,j] = j
    endfor
    for i = 1..m
        for j = 1..n
            cost = a[i-1] == b[j-1] ? 0 : 1
            D[i,j] = min(min(D[i-1,j] + 1, D[i,j-1] + 1), D[i-1,j-1] + cost)
        endfor
    endfor
    d = D[m,n]
endfunction
function best = knapsack(w, v, cap)
    best = zeros[int](cap + 1)
    for k = 0..numel(w)-1
        for c = cap..-1..w[k]
            best[c] = max(best[c], best[c - w[k]] + v[k])
        endfor
    endfor
endfunction
function n = lis(x)
    L = ones(numel(x))
    for i = 1..numel(x)-1
        for j = 0..i-1
            if x[j] < x[i]
                L[i] = max(L[i], L[j] + 1)
            endif
        endfor
    endfor
    n = max(L)
endfunction
function y : int = fib(n : int, memo : vec[int])
    if memo[n] != 0
        y = memo[n]
    elseif n < 2
        y = n
    else
        y = fib(n-1, memo) + fib(n-2, memo)
        memo[n] = y
    endif
endfunction
function c : int = ways(n : int, k : int)
    c = 0
    match n with
    | 0 -> c = 1
    | _ ->
        for i = 1..min(k, n)
            c += ways(n - i, i)
        endfor
    endmatch
endfunction
function [] = main()
    print levenshtein("kitten", "sitting"), " ", levenshtein("", "abc"), " ", levenshtein("flaw", "lawn")
    print knapsack([1,3,4,5], [1,4,5,7], 7)
    print lis([10,9,2,5,3,7,101,18])
    print fib(40, zeros[int](41))
    print ways(10, 10)
endfunction
