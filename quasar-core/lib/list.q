% list.q: lists that grow. `List[T]()` makes an empty one.
%
% Elements are what was given, not copies: an object in a list is the object that was added.

type List[T] : mutable class
    places : vec[??]
    used : int
endtype

function y : List[T] = List[T]()
    y = List[T](places := cell(4), used := 0)
endfunction

% The list with the elements of a vector or cell.
function y : List[T] = List[T](elements : vec[T])
    y = List[T](places := cell(numel(elements) + 4), used := 0)
    for k = 0..numel(elements) - 1
        y.add(elements[k])
    endfor
endfunction

function [] = outside_list(k : int, used : int) concealed
    error("index ", k, " is outside of a list of ", used, " elements")
endfunction

% Makes place for one more.
function [] = grow_list[T](self : List[T]) concealed
    if self.used == numel(self.places)
        larger = cell(2*self.used + 4)
        larger[0..self.used-1] = self.places
        self.places = larger
    endif
endfunction

% Adds an element at the end.
function [] = add[T](self : List[T], x : T)
    if self.used == numel(self.places)
        grow_list(self)
    endif
    self.places[self.used] = x
    self.used += 1
endfunction

% Puts an element before the one at `k`.
function [] = insert[T](self : List[T], k : int, x : T)
    if k < 0 || k > self.used
        outside_list(k, self.used)
    endif
    grow_list(self)
    for j = self.used..-1..k+1
        self.places[j] = self.places[j-1]
    endfor
    self.places[k] = x
    self.used += 1
endfunction

function x : T = get[T](self : List[T], k : int)
    if k < 0 || k >= self.used
        outside_list(k, self.used)
    endif
    x = self.places[k]
endfunction

function [] = set[T](self : List[T], k : int, x : T)
    if k < 0 || k >= self.used
        outside_list(k, self.used)
    endif
    self.places[k] = x
endfunction

% The place of the first element that equals `x`, or -1.
function k : int = index_of[T](self : List[T], x : T)
    k = -1
    for j = 0..self.used-1
        if self.places[j] == x
            k = j
            break
        endif
    endfor
endfunction

function y : int = contains[T](self : List[T], x : T)
    y = self.index_of(x) >= 0
endfunction

% Removes the element at `k` and gives it.
function x : T = remove_at[T](self : List[T], k : int)
    x = self.get(k)
    for j = k..self.used-2
        self.places[j] = self.places[j+1]
    endfor
    self.used -= 1
    self.places[self.used] = nullptr
endfunction

% Removes the first element that equals `x`; whether there was one.
function y : int = remove[T](self : List[T], x : T)
    k = self.index_of(x)
    y = k >= 0
    if y
        self.remove_at(k)
    endif
endfunction

function n : int = count[T](self : List[T])
    n = self.used
endfunction

function [] = clear[T](self : List[T])
    self.places = cell(4)
    self.used = 0
endfunction

% All elements in order.
function y : vec[T] = items[T](self : List[T])
    y = self.places[0..self.used-1]
endfunction
