% Kernels that change pointers and make objects: afterwards the host has the same objects, linked anew.
type node : mutable class
    n : int
    next : ^node
endtype
type pair : mutable class
    first  : ^node
    second : ^node
    size   : vec2
endtype

function l = list(from : int, to : int)
    l : ^node = nullptr
    for k = to..-1..from
        l = node(k, l)
    endfor
endfunction

function [] = show(p : ^node)
    while p != nullptr
        print p.n
        p = p.next
    endwhile
    print "end"
endfunction

% Turns a list around, by one thread.
function [] = __kernel__ reversed(both : pair, pos : int)
    p = both.first
    before : ^node = nullptr
    while p != nullptr
        after = p.next
        p.next = before
        before = p
        p = after
    endwhile
    both.second = before
    both.first = nullptr
endfunction

% Each thread takes what follows the first out of its own list.
function [] = __kernel__ cut(lists : vec[^node], pos : int)
    if lists[pos].next != nullptr
        lists[pos].next = lists[pos].next.next
    endif
endfunction

% Shifts the pointers of an array.
function [] = __kernel__ shift(from : vec[^node], to : vec[^node], pos : int)
    to[pos] = pos > 0 ? from[pos-1] : nullptr
endfunction

% New objects behind old ones.
function [] = __kernel__ grow(lists : vec[^node], times : int, pos : int)
    p = lists[pos]
    for k = 1..times
        p.next = node(100*pos + k, p.next)
        p = p.next
    endfor
endfunction

% Objects that end with the thread, and one that does not.
function [] = __kernel__ keep(kept : vec[^pair], l : ^node, pos : int)
    p = pair(l, nullptr, [pos, 1])
    p.second = p.first
    q = pair(p.second, p.first.next, p.size + 1)
    q.size[1] = p.size[0] * 10
    kept[pos] = q
endfunction

function [] = main()
    l = list(1, 4)
    both = pair(l, nullptr, [0, 0])
    first = l
    serial_do(1, both, reversed)
    show(both.second)
    print both.first == nullptr, " ", first.next == nullptr, " ", both.second.next.next.next == first

    lists = {list(1, 3), list(10, 10), list(20, 24)}
    parallel_do(3, lists, cut)
    for k = 0..2
        show(lists[k])
    endfor

    to = vec[^node](3)
    parallel_do(3, lists, to, shift)
    print to[0] == nullptr, " ", to[1] == lists[0], " ", to[2] == lists[1]

    parallel_do(3, lists, 2, grow)
    for k = 0..2
        show(lists[k])
    endfor

    kept = vec[^pair](2)
    parallel_do(2, kept, lists[0], keep)
    print kept[1].size, " ", kept[1].first == lists[0], " ", kept[0].second == lists[0].next, " ", kept[0] == kept[1]

    % What nobody refers to any more goes, circles as well.
    for k = 1..200
        a = list(1, 20)
        parallel_do(1, __kernel__ (pos : int) -> a.next.next = a)
    endfor
    print a.next.next == a
endfunction
