% Kernels that make more objects than there is room for, and that follow `nullptr`.
type node : mutable class
    n : vec4
    next : ^node
endtype
function [] = __kernel__ grow(h : ^node, pos : int)
    q = h
    while true
        q.next = node([1,2,3,4], nullptr)
        q = q.next
    endwhile
endfunction
function [] = __device__ follow(p : ^node, by : scalar)
    p.next.n[1] += by
endfunction
function [] = __kernel__ added(h : ^node, pos : int)
    follow(h, 2.0)
endfunction
function [] = __kernel__ exchanged(h : ^node, pos : int)
    (h.next.next <- h)
endfunction
function [] = main()
    h = node([0,0,0,0], nullptr)
    try
        parallel_do(1, h, grow)
    catch e
        print e.message
    endtry
    print h.next == nullptr
    try
        parallel_do(1, h, added)
        print h
    catch e : qtypeexception
        print e.message
    endtry
    try
        parallel_do(1, h, exchanged)
        print h
    catch e
        print e.message
    endtry
    h.next = node([0,0,0,0], nullptr)
    parallel_do(3, h, added)
    print h.next.n
endfunction
