% Lists, trees and circles of objects; module-level variables that hold some.
type tree : mutable class
    key   : int
    left  : ^tree
    right : ^tree
    up    : ^tree
endtype
type ring : mutable class
    value : int
    next  : ^ring
    data  : vec
endtype

root = tree(50)
registry : ^ring = nullptr
count = 0

function [] = insert(self : tree, key : int)
    node = self
    done = false
    repeat
        if key < node.key
            if node.left == nullptr
                node.left = tree(key:=key, up:=node)
                done = true
            else
                node = node.left
            endif
        else
            if node.right == nullptr
                node.right = tree(key:=key, up:=node)
                done = true
            else
                node = node.right
            endif
        endif
    until done
endfunction

function s : int = total(t : ^tree)
    if t == nullptr
        s = 0
    else
        s = t.key + total(t.left) + total(t.right)
    endif
endfunction

function d : int = depth(t : ^tree)
    d = t == nullptr ? 0 : 1 + max(depth(t.left), depth(t.right))
endfunction

function r = circle(n : int)
    first = ring(0, nullptr, zeros(4))
    last = first
    for k = 1..n-1
        last.next = ring(k, nullptr, last.data)
        last = last.next
    endfor
    last.next = first
    last.data[0] = n
    r = first
endfunction

function [] = main()
    for key = [30, 70, 20, 40, 60, 80, 10]
        root.insert(key)
    endfor
    print total(root), " ", depth(root), " ", root.left.left.left.up.up.up == root

    % Each ring refers to itself; they go although nobody takes them apart.
    all = 0
    for k = 1..3000
        r = circle(10)
        all += int(r.next.next.data[0]) + r.value
    endfor
    print all

    % A list that is longer than the stack is deep.
    l = nullptr
    for k = 1..100000
        l = ring(k, l, [1])
    endfor
    print l.value
    l = nullptr

    print registry == nullptr
    try
        print registry.next.value
    catch e
        print e.message
    endtry
    print ring(1, nullptr, [1,2])
    me = ring(1, nullptr, [3,4])
    other = copy(me)
    other.data[0] = 9
    other.data = [5]
    print me, other
    me.data += 1
    me.data .*= [2, 3]
    print me.data, " ", size(me.data), sum(me.data), me.data[1]
endfunction
