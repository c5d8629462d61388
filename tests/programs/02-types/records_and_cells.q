% cells of matrices: element-wise maps, nested structures, sorting records
type rec : mutable class
    name : string
    score : scalar
    tags : vec[string]
endtype
function [] = sort_records(r)
    n = numel(r)
    for i = 0..n-2
        for j = 0..n-2-i
            if r[j].score < r[j+1].score
                t = r[j]
                r[j] = r[j+1]
                r[j+1] = t
            endif
        endfor
    endfor
endfunction
function y = mapcell(f, c)
    y = cell(numel(c))
    for i = 0..numel(c)-1
        y[i] = f(c[i])
    endfor
endfunction
function s = depth(c)
    s = 0
    if iscell(c)
        for i = 0..numel(c)-1
            s = max(s, depth(c[i]))
        endfor
        s = s + 1
    endif
endfunction
function [] = main()
    r = {rec(name:="ann", score:=2.5, tags:={"x"}), rec(name:="bob", score:=9.0, tags:={"y","z"}), rec(name:="cy", score:=5.0, tags:={})}
    sort_records(r)
    for i = 0..2
        print r[i].name, " ", r[i].score, " ", numel(r[i].tags)
    endfor
    c = {[1.0,2],[3.0],[4.0,5,6]}
    print mapcell(x -> sum(x), c)
    print mapcell(x -> numel(x), {"a","bb"})
    print c * 2
    print max(c, 3)
    print depth({1,{2,{3}}})
    d = {1,{2,3}}
    d[1][0] = 20
    print d
    e = {a:=1}
    e.list = {1,2}
    e.list[0] = 7
    print e.list, e.a
    A = cell(2,2)
    A[0,0] = "p"
    A[1,1] = [1,2]
    print A[1,1], A[0,0]
    v = vec[mat](2)
    v[0] = eye(2)
    v[1] = ones(1,2)
    print v[0] + 1, v[1]
    q = {}
    q = {...q, 1}
    q = {...q, "z"}
    print q, numel(q)
endfunction
