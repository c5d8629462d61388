% concurrent_stack.q: stacks to which all threads of a kernel push and from which all pop, without locks.
% `Concurrent_stack[T]()` makes an empty one. Nodes are not used again during a launch, so that a node at the top that is the one
% seen before is still followed by the same others.

type Concurrent_stack_node[T] : mutable class
    value : T
    next : ^Concurrent_stack_node[T]
endtype

type Concurrent_stack[T] : mutable class
    top : ^Concurrent_stack_node[T]
    used : int
endtype

function y : Concurrent_stack[T] = Concurrent_stack[T]()
    y = Concurrent_stack[T](top := nullptr, used := 0)
endfunction

function [] = __device__ push[T](self : Concurrent_stack[T], x : T)
    node = Concurrent_stack_node[T](value := x, next := nullptr)
    seen = self.top
    done = false
    while !done
        node.next = seen
        found = (self.top <- (node, seen))
        done = found == seen
        seen = found
    endwhile
    self.used += 1
endfunction

% Takes the node at the top; `nullptr` where there is none.
function node : ^Concurrent_stack_node[T] = __device__ take_node[T](self : Concurrent_stack[T]) concealed
    node = self.top
    done = node == nullptr
    while !done
        found = (self.top <- (node.next, node))
        done = found == node
        if !done
            node = found
            done = node == nullptr
        endif
    endwhile
    if node != nullptr
        self.used -= 1
    endif
endfunction

function x : T = __device__ pop[T](self : Concurrent_stack[T])
    node = take_node(self)
    if node == nullptr
        error("the stack is empty")
    endif
    x = node.value
endfunction

% As `pop`; `otherwise` where the stack is empty.
function x : T = __device__ pop[T](self : Concurrent_stack[T], otherwise : T)
    node = take_node(self)
    x = otherwise
    if node != nullptr
        x = node.value
    endif
endfunction

function y : int = __device__ contains[T](self : Concurrent_stack[T], x : T)
    y = 0
    node = self.top
    while node != nullptr && y == 0
        if node.value == x
            y = 1
        endif
        node = node.next
    endwhile
endfunction

function n : int = __device__ count[T](self : Concurrent_stack[T])
    n = self.used
endfunction

function [] = clear[T](self : Concurrent_stack[T])
    self.top = nullptr
    self.used = 0
endfunction

% All elements, the oldest first.
function y : vec[T] = items[T](self : Concurrent_stack[T])
    found = cell(self.used)
    node = self.top
    for k = self.used-1..-1..0
        found[k] = node.value
        node = node.next
    endfor
    y = found
endfunction
