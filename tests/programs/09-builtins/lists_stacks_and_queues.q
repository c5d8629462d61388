% Lists, stacks and queues: elements of all kinds, growth, what is missing.
import "list.q"
import "stack.q"
import "queue.q"
import "linkedlist.q"
type p : mutable class
    x : int
endtype
function [] = main()
    a = List[int]()
    for k = 1..10
        a.add(k*k)
    endfor
    print a.count(), " ", a.get(3), " ", a.items(), " ", sum(a.items())
    a.insert(2, 100)
    print a.index_of(100), a.contains(7), a.remove(100), a.remove(100), a.remove_at(0), a.items()
    try
        print a.get(9)
    catch e
        print e.message
    endtry
    s = List[string]({"a", "b", "c"})
    s.add("d")
    print s.items(), s.contains("c")
    m = List[mat]()
    m.add(eye(2))
    m.add(eye(3))
    print m.get(1)
    o = p(3)
    l = List[p]()
    l.add(o)
    l.get(0).x = 5
    print o, " ", l.contains(o), l.contains(p(5))
    ll = List[List[int]]()
    ll.add(a)
    print ll.get(0).count()
    g = LinkedList[string]()
    g.add("x")
    g.add("y")
    g.add_first("w")
    print g.items(), g.count(), g.get(1), g.remove("x"), g.items(), g.contains("x")
    q = Queue[int]()
    for k = 1..20
        q.enqueue(k)
        if mod(k, 3) == 0
            print q.dequeue()
        endif
    endfor
    print q.items(), q.count(), q.peek(), q.contains(3), q.contains(9)
    t = Stack[scalar]()
    t.push(1)
    t.push(2.5)
    print t.pop(), t.peek(), t.count()
    t.pop()
    try
        t.pop()
    catch e
        print e.message
    endtry
    for x = s.items()
        print x
    endfor
endfunction
