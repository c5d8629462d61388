type pair[A,B] : class
    a : A
    b : B
endtype
type stack[T] : mutable class
    top : ^item[T]
    count : int
endtype
type item[T] : mutable class
    value : T
    below : ^item[T]
endtype
type intpair : pair[int,int]
type fixed[N] : mutable class
    data : vec(N)
endtype

function [] = push[T](self : stack[T], x : T)
    self.top = item[T](value:=x, below:=self.top)
    self.count += 1
endfunction
function x : T = pop[T](self : stack[T])
    if self.top == nullptr
        error("empty stack")
    endif
    x = self.top.value
    self.top = self.top.below
    self.count -= 1
endfunction
function y = swapped[A,B](p : pair[A,B])
    y = pair[B,A](p.b, p.a)
endfunction

function [] = main()
    p = pair[int,string](1, "one")
    print p, " ", swapped(p)
    s = stack[int]
    s.push(3)
    s.push(4)
    print s.count, s.pop(), s.pop()
    try
        s.pop()
    catch e
        print e.message
    endtry
    t = stack[stack[int]]()
    t.push(s)
    t.top.value.push(7)
    print t.pop().count, " ", t
    f = fixed[3]()
    f.data[1] = 2
    print f
    i = intpair(1, 2)
    print i
    print type(i), type(t)
endfunction
