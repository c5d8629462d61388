% graphs: BFS, Dijkstra, Floyd-Warshall, union-find, topological order
function d : ivec = bfs(adj : cell, s : int, n : int)
    d = -1 * ones[int](n)
    queue = zeros[int](n)
    head = 0
    tail = 1
    queue[0] = s
    d[s] = 0
    while head < tail
        u = queue[head]
        head += 1
        nb = adj[u]
        for k = 0..numel(nb)-1
            v = int(nb[k])
            if d[v] < 0
                d[v] = d[u] + 1
                queue[tail] = v
                tail += 1
            endif
        endfor
    endwhile
endfunction
function D = floyd(W)
    n = size(W, 0)
    D = copy(W)
    for k = 0..n-1
        for i = 0..n-1
            for j = 0..n-1
                D[i,j] = min(D[i,j], D[i,k] + D[k,j])
            endfor
        endfor
    endfor
endfunction
function dist : vec = dijkstra(W : mat, s : int)
    n = size(W, 0)
    dist = ones(n) * inf
    done = zeros[int](n)
    dist[s] = 0
    for r = 0..n-1
        u = -1
        for v = 0..n-1
            if !done[v] && (u < 0 || dist[v] < dist[u])
                u = v
            endif
        endfor
        done[u] = 1
        for v = 0..n-1
            if W[u,v] < inf
                dist[v] = min(dist[v], dist[u] + W[u,v])
            endif
        endfor
    endfor
endfunction
function r : int = find_root(p : ivec, x : int)
    r = x
    while p[r] != r
        p[r] = p[p[r]]
        r = p[r]
    endwhile
endfunction
function [] = main()
    adj = {[1,2],[0,3],[0,3],[1,2,4],[3],[5]}
    print bfs(adj, 0, 6)
    W = [[0.0,3,inf,7],[8.0,0,2,inf],[5.0,inf,0,1],[2.0,inf,inf,0]]
    print floyd(W)
    print dijkstra(W, 0)
    p = 0..5
    for e = {[0,1],[2,3],[1,3]}
        a = find_root(p, e[0])
        b = find_root(p, e[1])
        if a != b
            p[a] = b
        endif
    endfor
    roots = zeros[int](6)
    for i = 0..5
        roots[i] = find_root(p, i)
    endfor
    print roots, " ", numel(unique(roots))
endfunction
