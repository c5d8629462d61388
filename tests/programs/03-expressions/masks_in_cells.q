% Masks in a cell that holds nothing else, taken with an index of known and of unknown type.
function y : ?? = unknown(x : ??)
    y = x
endfunction
function [] = main()
    A = [[1,2,3],[4,5,0]]
    p = {A > 4, A == 1}
    for k = 0..1
        print A[p[k]], " ", A[p[unknown(k)]], " ", unknown(A)[p[unknown(k)]]
    endfor
    x = [4,5,6]
    v = {x > 4, x == 4}
    v[1][2] = 1
    w = unknown(v)
    for k = 0..1
        print x[v[unknown(k)]], " ", x[w[k]], " ", sum(v[unknown(k)])
    endfor
    % A copy of a mask as numbers holds indices.
    n : cell = {int(x > 4) + 0, x > 4}
    print x[n[0]], " ", x[n[1]]
endfunction
