% Kernels that follow pointers: lists, trees, circles and shared objects, which each thread walks.
type node : mutable class
    n : int
    next : ^node
endtype
type tree : mutable class
    key   : int
    left  : ^tree
    right : ^tree
endtype
type vector : class
    x : scalar
    y : scalar
endtype
type place : mutable class
    at   : vector
    cost : vec2
    near : ^place
    folk : ^people_there
endtype
type people_there : mutable class
    count : int
    home  : ^place
endtype

% Each thread reads a list.
function [] = __kernel__ weigh(h : ^node, total : ivec, pos : int)
    p = h
    s = 0
    while p != nullptr
        s += p.n * (pos + 1)
        p = p.next
    endwhile
    total[pos] = s
endfunction

% All threads change one list, to which they come in two ways.
function [] = __kernel__ add(lists : vec[^node], last : ivec, pos : int)
    p = lists[mod(pos, numel(lists))]
    while p != nullptr
        last[pos] = (p.n += 1)
        p = p.next
    endwhile
endfunction

function found : ^tree = __device__ find(root : ^tree, key : int)
    found = root
    while found != nullptr && found.key != key
        found = key < found.key ? found.left : found.right
    endwhile
endfunction

% Looks up a key, and stores pointers in an array.
function [] = __kernel__ search(root : ^tree, keys : ivec, out : ivec, where : vec[^tree], pos : int)
    t = find(root, keys[pos])
    out[pos] = t == nullptr ? -1 : t.key
    where[pos] = t
endfunction

% How long a circle is.
function [] = __kernel__ around(starts : vec[^node], lengths : ivec, pos : int)
    p = starts[pos].next
    k = 1
    while p != starts[pos]
        p = p.next
        k += 1
    endwhile
    lengths[pos] = k
endfunction

% Heads of lists of any length, some empty: a table of lists.
function [] = __kernel__ count(table : mat[^node], sums : mat, pos : ivec2)
    p = table[pos]
    sums[pos] = 0
    while p != nullptr
        sums[pos] = sums[pos] + p.n
        p = p.next
    endwhile
endfunction

% Objects with others inside, of two classes that refer to each other.
function [] = __kernel__ visit(places : vec[^place], pos : int)
    p = places[pos]
    q = p.near
    if q != nullptr
        p.cost[0] = sqrt((p.at.x - q.at.x)^2 + (p.at.y - q.at.y)^2)
        q.cost[1] += 1
        q.folk.count += p.folk.count
        p.folk.home = q
    endif
endfunction

function l = list(values : vec)
    l : ^node = nullptr
    for k = numel(values)-1..-1..0
        l = node(int(values[k]), l)
    endfor
endfunction

function [] = insert(self : tree, key : int)
    node = self
    done = false
    repeat
        if key < node.key
            if node.left == nullptr
                node.left = tree(key:=key)
                done = true
            else
                node = node.left
            endif
        else
            if node.right == nullptr
                node.right = tree(key:=key)
                done = true
            else
                node = node.right
            endif
        endif
    until done
endfunction

function [] = main()
    h = list([1,2,3,4,5])
    total = vec[int](3)
    parallel_do(3, h, total, weigh)
    print total
    last = vec[int](10)
    parallel_do(10, {h, h}, last, add)
    print h.n, " ", h.next.n, " ", h.next.next.next.next.n, " ", max(last)

    empty : ^node = nullptr
    parallel_do(3, empty, total, weigh)
    print total

    root = tree(50)
    for key = [30, 70, 20, 40, 60, 80, 10]
        root.insert(key)
    endfor
    out = vec[int](4)
    where = vec[^tree](4)
    parallel_do(4, root, [20, 45, 80, 50], out, where, search)
    print out
    print where[0].left.key, " ", where[1] == nullptr, " ", where[3] == root, " ", where[2] == root.right.right

    ring = list([1,2,3])
    ring.next.next.next = ring
    self = node(9, nullptr)
    self.next = self
    lengths = vec[int](3)
    parallel_do(3, {ring, self, ring.next}, lengths, around)
    print lengths

    table = mat[^node](2, 3)
    table[0,0] = list([1,2])
    table[0,2] = table[0,0].next
    table[1,1] = list([10,20,30])
    sums = zeros(2, 3)
    parallel_do([2,3], table, sums, count)
    print sums

    places = vec[^place](3)
    for k = 0..2
        places[k] = place(vector(3*k, 4*k), [0, 0], nullptr, people_there(k + 1, nullptr))
        places[k].folk.home = places[k]
    endfor
    places[0].near = places[2]
    places[1].near = places[2]
    parallel_do(3, places, visit)
    print places[0].cost, places[1].cost, places[2].cost
    print places[2].folk.count, " ", places[0].folk.home == places[2], " ", places[2].folk.home == places[2]

    % What a lambda captures.
    parallel_do(3, __kernel__ (pos : int) -> total[pos] = h.next.n + pos)
    print total
    try
        parallel_do(4, __kernel__ (pos : int) -> total[0] = empty.n)
        print total
    catch e
        print e.message
    endtry
endfunction
