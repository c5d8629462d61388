% queue.q: queues, which give back first what came first. `Queue[T]()` makes an empty one.

% The elements go round in `places`, from `first` on.
type Queue[T] : mutable class
    places : vec[??]
    first : int
    used : int
endtype

function y : Queue[T] = Queue[T]()
    y = Queue[T](places := cell(4), first := 0, used := 0)
endfunction

function [] = grow_queue[T](self : Queue[T]) concealed
    larger = cell(2*self.used + 4)
    n = numel(self.places)
    larger[0..n-1-self.first] = self.places[self.first..n-1]
    if self.first > 0
        larger[n-self.first..n-1] = self.places[0..self.first-1]
    endif
    self.places = larger
    self.first = 0
endfunction

function [] = enqueue[T](self : Queue[T], x : T)
    if self.used == numel(self.places)
        grow_queue(self)
    endif
    self.places[mod(self.first + self.used, numel(self.places))] = x
    self.used += 1
endfunction

% What `dequeue` would give.
function x : T = peek[T](self : Queue[T])
    if self.used == 0
        error("the queue is empty")
    endif
    x = self.places[self.first]
endfunction

function x : T = dequeue[T](self : Queue[T])
    x = self.peek()
    self.places[self.first] = nullptr
    self.first = mod(self.first + 1, numel(self.places))
    self.used -= 1
endfunction

function y : int = contains[T](self : Queue[T], x : T)
    y = 0
    for j = 0..self.used-1
        if self.places[mod(self.first + j, numel(self.places))] == x
            y = 1
            break
        endif
    endfor
endfunction

function n : int = count[T](self : Queue[T])
    n = self.used
endfunction

function [] = clear[T](self : Queue[T])
    self.places = cell(4)
    self.first = 0
    self.used = 0
endfunction

% All elements, the oldest first.
function y : vec[T] = items[T](self : Queue[T])
    all = cell(self.used)
    for j = 0..self.used-1
        all[j] = self.places[mod(self.first + j, numel(self.places))]
    endfor
    y = all
endfunction
