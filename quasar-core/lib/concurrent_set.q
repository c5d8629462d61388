% concurrent_set.q: sets of numbers that all threads of a kernel change, without locks. `Concurrent_set[T]()` makes an empty one.
% Elements hang together in a list in ascending order, after T. L. Harris, "A pragmatic implementation of non-blocking linked-lists"
% (2001). His mark in a pointer is a node here: behind an element that is removed stands a marker, so that nobody links anything
% to it any more. Nodes are not used again during a launch.

type Concurrent_set_node[T] : mutable class
    value : T
    marks : int
    next : ^Concurrent_set_node[T]
endtype

type Concurrent_set[T] : mutable class
    % Stands before the first element.
    head : ^Concurrent_set_node[T]
    used : int
endtype

function y : Concurrent_set[T] = Concurrent_set[T]()
    y = Concurrent_set[T](head := Concurrent_set_node[T](marks := 0, next := nullptr), used := 0)
endfunction

% The first element that is not less, and the node before it. Takes out what is marked on the way.
function [before : ^Concurrent_set_node[T], at : ^Concurrent_set_node[T]] = __device__ find_node[T](self : Concurrent_set[T], x : T) concealed
    again = true
    while again
        again = false
        before = self.head
        at = before.next
        while !again && at != nullptr
            after = at.next
            if after != nullptr && after.marks == 1
                again = (before.next <- (after.next, at)) != at
                at = after.next
            elseif at.value < x
                before = at
                at = after
            else
                break
            endif
        endwhile
    endwhile
endfunction

% Whether the element is new.
function added : int = __device__ add[T](self : Concurrent_set[T], x : T)
    added = 0
    [before, at] = find_node(self, x)
    if at == nullptr || at.value != x
        node = Concurrent_set_node[T](value := x, marks := 0, next := nullptr)
        done = false
        while !done
            node.next = at
            if (before.next <- (node, at)) == at
                added = 1
                done = true
                self.used += 1
            else
                [before, at] = find_node(self, x)
                done = at != nullptr && at.value == x
            endif
        endwhile
    endif
endfunction

% Whether there was such an element.
function removed : int = __device__ remove[T](self : Concurrent_set[T], x : T)
    removed = 0
    [before, at] = find_node(self, x)
    if at != nullptr && at.value == x
        marker = Concurrent_set_node[T](value := x, marks := 1, next := nullptr)
        done = false
        while !done
            after = at.next
            if after == nullptr || after.marks == 0
                marker.next = after
                if (at.next <- (marker, after)) == after
                    removed = 1
                    self.used -= 1
                    % Where this does not succeed, who comes by takes the element out.
                    (before.next <- (after, at))
                endif
            endif
            done = removed == 1
            if !done
                [before, at] = find_node(self, x)
                done = at == nullptr || at.value != x
            endif
        endwhile
    endif
endfunction

function y : int = __device__ contains[T](self : Concurrent_set[T], x : T)
    at = self.head.next
    while at != nullptr && at.value < x
        at = at.next
    endwhile
    y = 0
    if at != nullptr && at.value == x && at.marks == 0
        after = at.next
        y = after == nullptr || after.marks == 0
    endif
endfunction

function n : int = __device__ count[T](self : Concurrent_set[T])
    n = self.used
endfunction

function [] = clear[T](self : Concurrent_set[T])
    self.head.next = nullptr
    self.used = 0
endfunction

% All elements in ascending order.
function y : vec[T] = items[T](self : Concurrent_set[T])
    found = cell(self.used)
    k = 0
    at = self.head.next
    while at != nullptr
        after = at.next
        if at.marks == 0 && (after == nullptr || after.marks == 0)
            found[k] = at.value
            k += 1
        endif
        at = after
    endwhile
    y = found
endfunction
