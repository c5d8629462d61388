% linkedlist.q: lists of linked nodes, cheap to change at both ends. `LinkedList[T]()` makes an empty one.

type LinkedList_node[T] : mutable class
    value : ??
    previous : ^LinkedList_node[T]
    next : ^LinkedList_node[T]
endtype

type LinkedList[T] : mutable class
    first : ^LinkedList_node[T]
    last : ^LinkedList_node[T]
    number : int
endtype

% Adds an element at the end.
function [] = add[T](self : LinkedList[T], x : T)
    node = LinkedList_node[T](value := x, previous := self.last)
    if self.last == nullptr
        self.first = node
    else
        self.last.next = node
    endif
    self.last = node
    self.number += 1
endfunction

% Adds an element at the start.
function [] = add_first[T](self : LinkedList[T], x : T)
    node = LinkedList_node[T](value := x, next := self.first)
    if self.first == nullptr
        self.last = node
    else
        self.first.previous = node
    endif
    self.first = node
    self.number += 1
endfunction

function node : ^LinkedList_node[T] = linked_node[T](self : LinkedList[T], k : int) concealed
    if k < 0 || k >= self.number
        error("index ", k, " is outside of a list of ", self.number, " elements")
    endif
    if 2*k < self.number
        node = self.first
        for j = 1..k
            node = node.next
        endfor
    else
        node = self.last
        for j = k+1..self.number-1
            node = node.previous
        endfor
    endif
endfunction

function [] = unlink[T](self : LinkedList[T], node : ^LinkedList_node[T]) concealed
    if node.previous == nullptr
        self.first = node.next
    else
        node.previous.next = node.next
    endif
    if node.next == nullptr
        self.last = node.previous
    else
        node.next.previous = node.previous
    endif
    self.number -= 1
endfunction

function x : T = get[T](self : LinkedList[T], k : int)
    x = linked_node(self, k).value
endfunction

function [] = set[T](self : LinkedList[T], k : int, x : T)
    linked_node(self, k).value = x
endfunction

% Removes the element at `k` and gives it.
function x : T = remove_at[T](self : LinkedList[T], k : int)
    node = linked_node(self, k)
    x = node.value
    unlink(self, node)
endfunction

% The first node whose value equals `x`, or nullptr.
function node : ^LinkedList_node[T] = node_of[T](self : LinkedList[T], x : T) concealed
    node = self.first
    while node != nullptr
        if node.value == x
            break
        endif
        node = node.next
    endwhile
endfunction

% Removes the first element that equals `x`; whether there was one.
function y : int = remove[T](self : LinkedList[T], x : T)
    node = node_of(self, x)
    y = node != nullptr
    if y
        unlink(self, node)
    endif
endfunction

function y : int = contains[T](self : LinkedList[T], x : T)
    y = node_of(self, x) != nullptr
endfunction

function n : int = count[T](self : LinkedList[T])
    n = self.number
endfunction

function [] = clear[T](self : LinkedList[T])
    self.first = nullptr
    self.last = nullptr
    self.number = 0
endfunction

% All elements in order.
function y : vec[T] = items[T](self : LinkedList[T])
    all = cell(self.number)
    node = self.first
    k = 0
    while node != nullptr
        all[k] = node.value
        k += 1
        node = node.next
    endwhile
    y = all
endfunction
