% Tables by keys, which are strings, numbers and enums; generic aliases and List[..] without parentheses.
import "hashmap.q"
import "list.q"
type mode : enum
    Fast
    Slow
endtype
function [] = main()
    h = Hashmap[string,int]()
    for k = 1..20
        h.set("key" + string(k), k*k)
    endfor
    print h.count(), " ", h.get("key7"), " ", h.get("none", -1), " ", h.contains("key20"), h.contains("key21")
    print h.remove("key7"), h.remove("key7"), h.count(), h.contains("key7")
    h.set("key8", 1)
    print h.get("key8"), h.count(), " ", sum(h.items()), " ", numel(h.keys())
    try
        print h.get("key7")
    catch e
        print e.message
    endtry
    try
        h.add("key8", 5)
    catch e
        print e.message
    endtry
    n = Hashmap[int,string]
    n.set(3, "three")
    n.set(-4, "minus four")
    print n.get(3), n.get(-4), n.get(5, "?")
    f = Hashmap[scalar,List[int]]()
    f.set(0.5, List[int]())
    f.get(0.5).add(7)
    print f.get(0.5).items(), f.contains(1/2)
    m = Hashmap[mode,scalar]()
    m.set(mode.Slow, 2)
    print m.get(mode.Slow), m.contains(mode.Fast)
    print hash("a") == hash("a"), hash("a") == hash("b"), hash(2) == hash(2.0), hash([1,2]) == hash([1,2]), hash([1,2]) == hash([2,1])
    l = List[scalar]
    l.add(1)
    l.add(2.5)
    print l.items(), max(l.items())
    a = List[??]()
    a.add(1)
    a.add("x")
    a.add({b := 2})
    print a.get(1), a.get(2).b, a.items()
    h.clear()
    print h.count(), h.contains("key1")
endfunction
