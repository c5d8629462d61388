% Threads change vectors in objects, each component in one step: none of the changes is lost.
type node : mutable class
    weight : vec2
    next : ^node
endtype
type sums : mutable class
    total : vec3
    m : mat(2,2)
endtype
function [] = __kernel__ behind(p : ^node, pos : int)
    p.weight += [0.5, 1]
    p.weight[0..1] += [1, 1]
    p.weight *= 1
    if p.next != nullptr
        p.next.weight -= [0, 2]
    endif
endfunction
function [] = __kernel__ inside(s : vec[sums], pos : int)
    s[0].total += [pos, 1, 2]
    s[mod(pos, 2)].m += [[1, 2], [3, pos]]
    own = sums([0,0,0], zeros(2,2))
    own.total += [1, 2, 3]
    s[1].total += own.total
endfunction
function [] = main()
    n : ^node = node([0,0], node([5,5], nullptr))
    parallel_do(100, n, behind)
    print n.weight, n.next.weight
    s = vec[sums](2)
    parallel_do(100, s, inside)
    print s[0].total, s[1].total, s[0].m, s[1].m
endfunction
