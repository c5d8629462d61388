% stack.q: stacks, which give back first what came last. `Stack[T]()` makes an empty one.

type Stack[T] : mutable class
    places : vec[??]
    used : int
endtype

function y : Stack[T] = Stack[T]()
    y = Stack[T](places := cell(4), used := 0)
endfunction

function [] = push[T](self : Stack[T], x : T)
    if self.used == numel(self.places)
        larger = cell(2*self.used + 4)
        larger[0..self.used-1] = self.places
        self.places = larger
    endif
    self.places[self.used] = x
    self.used += 1
endfunction

% What `pop` would give.
function x : T = peek[T](self : Stack[T])
    if self.used == 0
        error("the stack is empty")
    endif
    x = self.places[self.used-1]
endfunction

function x : T = pop[T](self : Stack[T])
    x = self.peek()
    self.used -= 1
    self.places[self.used] = nullptr
endfunction

function y : int = contains[T](self : Stack[T], x : T)
    y = 0
    for j = 0..self.used-1
        if self.places[j] == x
            y = 1
            break
        endif
    endfor
endfunction

function n : int = count[T](self : Stack[T])
    n = self.used
endfunction

function [] = clear[T](self : Stack[T])
    self.places = cell(4)
    self.used = 0
endfunction

% All elements, the oldest first.
function y : vec[T] = items[T](self : Stack[T])
    y = self.places[0..self.used-1]
endfunction
