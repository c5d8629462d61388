% masks, conditional assignment, broadcasting by repmat, statistics per row and column, sorting by keys
function z = standardise(x)
    m = mean(x, 0)
    s = sqrt(mean((x - repmat(m, [size(x,0), 1])).^2, 0))
    z = (x - repmat(m, [size(x,0),1])) ./ repmat(s + (s == 0), [size(x,0),1])
endfunction
function y = threshold(x, t : scalar = 0.5)
    m = x > t
    y = copy(x)
    y[m] = 1
    y[x <= t] = 0
endfunction
function order = by_key(names, keys)
    [_, order] = sort(keys)
endfunction
function [] = main()
    x = reshape(mod((0..11)*5, 7), [4,3])*1.0
    print round(standardise(x)*100)
    print threshold(x/6), threshold(x/6, t := 0.8)[0,:]
    a = x > 2 && x < 5
    print a, sum(a), x[a]
    x[a] = x[a] * 10
    print x
    x[x > 20 || x == 0] = -1
    print sum(x < 0)
    names = {"c", "a", "b"}
    for k = by_key(names, [3,1,2])
        print names[k]
    endfor
    v = [4,8,15,16,23,42]
    print v[v > 10], sum(v[mod(v,2) == 0]), numel(v[v > 100])
    w = copy(v)
    w[w > 10 && w < 30] = 0
    print w, any(w > 40), all(w >= 0)
    m = v == w
    print m, !m, m * 2
    print find(v > 15)[:,1], max(v - w), argmax(v - w)
    y = v
    y[m] += 1
    print v
    print min(v, 10), max([1,5], [3,2]), mod(v, [1,2,3,4,5,6]), v ./ 2, 2.^[1,2,3]
    c = cumsum(v)
    print c, c[5] - c[2]
    h = zeros[int](5)
    for k = v
        h[min(int(k/10), 4)] += 1
    endfor
    print h
    print sum([[1,2],[3,4]], 0), sum([[1,2],[3,4]], 1), prod([1,2,3]), mean([[1,2],[3,4]], 1)
    b = 1 - eye(3)
    b[1, :] .*= [2,3,4]
    b[:, 0] .^= 2
    print b
endfunction
