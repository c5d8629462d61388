% A stack of nodes to which all threads push new ones and from which all pop, without locks.
type node : mutable class
    n : int
    next : ^node
endtype
type stack : mutable class
    head : ^node
    count : int
endtype
function [] = __device__ push(self : stack, n : int)
    new = node(n, nullptr)
    top = self.head
    done = false
    while !done
        new.next = top
        found = (self.head <- (new, top))
        done = found == top
        top = found
    endwhile
    self.count += 1
endfunction
% The node that was pushed last; `nullptr` where there is none.
function top : ^node = __device__ pop(self : stack)
    top = self.head
    done = top == nullptr
    while !done
        found = (self.head <- (top.next, top))
        done = found == top
        if !done
            top = found
            done = top == nullptr
        endif
    endwhile
    if top != nullptr
        self.count -= 1
    endif
endfunction
function [] = __kernel__ fill(s : stack, pos : int)
    s.push(pos)
endfunction
function [] = __kernel__ drain(s : stack, seen : ivec, pos : int)
    n = s.pop()
    if n != nullptr
        seen[n.n] += 1
    endif
endfunction
% Pushes and pops at once.
function [] = __kernel__ mix(s : stack, seen : ivec, pos : int)
    s.push(pos)
    s.push(pos + 500)
    n = s.pop()
    if n != nullptr
        seen[n.n] += 1
    endif
endfunction
% Plain exchanges: who gets the number, who the pointer.
function [] = __kernel__ swap(s : stack, got : vec[^node], numbers : ivec, pos : int)
    got[pos] = (s.head <- got[pos])
    numbers[pos] = (s.count <- pos + 1)
endfunction
function [] = main()
    s = stack()
    parallel_do(1000, s, fill)
    k = 0
    p = s.head
    all = 0
    while p != nullptr
        k += 1
        all += p.n
        p = p.next
    endwhile
    print s.count, " ", k, " ", all
    s.push(1000)
    seen = vec[int](1001)
    parallel_do(600, s, seen, drain)
    print s.count, " ", max(seen)
    parallel_do(600, s, seen, drain)
    print max(seen), " ", min(seen), " ", s.head == nullptr, " ", s.count

    seen = vec[int](1000)
    parallel_do(500, s, seen, mix)
    p = s.head
    while p != nullptr
        seen[p.n] += 1
        p = p.next
    endwhile
    print max(seen), " ", min(seen), " ", s.count

    s = stack(node(-1, nullptr), 0)
    got = vec[^node](20)
    for k = 0..19
        got[k] = node(k, nullptr)
    endfor
    numbers = vec[int](20)
    parallel_do(20, s, got, numbers, swap)
    total = s.head.n
    for k = 0..19
        total += got[k].n
    endfor
    print total, " ", sum(numbers) + s.count, " ", min(numbers)
    s.count = 20
    print (s.count <- 7), " ", (s.count <- (8, 7)), " ", (s.count <- (9, 7)), " ", s.count
    old = (s.head <- (nullptr, got[0]))
    print old == s.head
endfunction
