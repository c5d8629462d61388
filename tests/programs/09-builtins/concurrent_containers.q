% Sets and stacks that all threads of kernels change at once: every element is found exactly once.
import "concurrent_set.q"
import "concurrent_stack.q"

function [] = __kernel__ push_all(s : Concurrent_stack[int], pos : int)
    s.push(pos)
endfunction
% Pushes two and pops one.
function [] = __kernel__ push_and_pop(s : Concurrent_stack[int], seen : ivec, n : int, pos : int)
    s.push(pos)
    s.push(pos + n)
    seen[s.pop()] += 1
endfunction
% More pops than there are elements.
function [] = __kernel__ pop_all(s : Concurrent_stack[int], seen : ivec, none : ivec, pos : int)
    x = s.pop(-1)
    if x < 0
        none[0] += 1
    else
        seen[x] += 1
    endif
endfunction
function [] = __kernel__ pop_nothing(s : Concurrent_stack[int], pos : int)
    s.pop()
endfunction
% Each number is added by several threads.
function [] = __kernel__ add_all(s : Concurrent_set[int], wins : ivec, n : int, pos : int)
    x = mod(pos*37, n)
    wins[x] += s.add(x)
endfunction
% Several threads remove each even number, and look for an odd one, which is always there.
function [] = __kernel__ remove_even(s : Concurrent_set[int], wins : ivec, missed : ivec, n : int, pos : int)
    x = mod(pos*37, n)
    wins[x] += mod(x, 2) == 0 ? s.remove(x) : 0
    missed[0] += 1 - s.contains(mod(x, 2) == 0 ? x + 1 : x)
endfunction
% Threads that add and remove the same few numbers: what is there in the end is what was added once more than removed.
function [] = __kernel__ fight(s : Concurrent_set[int], balance : ivec, few : int, pos : int)
    x = mod(pos, few)
    for k = 0..3
        if mod(pos + k, 3) == 0
            balance[x] -= s.remove(x)
        else
            balance[x] += s.add(x)
        endif
    endfor
endfunction

function [] = main()
    n = 400
    s = Concurrent_stack[int]()
    parallel_do(n, s, push_all)
    print s.count(), " ", numel(s.items()), " ", s.contains(17), s.contains(n)
    seen = vec[int](n)
    none = [0]
    parallel_do(n + 10, s, seen, none, pop_all)
    print s.count(), " ", min(seen), max(seen), " ", none[0]

    seen = vec[int](2*n)
    parallel_do(n, s, seen, n, push_and_pop)
    for x = s.items()
        seen[x] += 1
    endfor
    print s.count() == n, " ", min(seen), max(seen)
    s.clear()
    try
        parallel_do(2, s, pop_nothing)
        print "?"
    catch e
        print e.message
    endtry

    set = Concurrent_set[int]()
    wins = vec[int](n)
    parallel_do(5*n, set, wins, n, add_all)
    items = set.items()
    sorted = 1
    for k = 1..numel(items)-1
        sorted &= items[k-1] < items[k]
    endfor
    print set.count(), " ", numel(items), " ", sorted, " ", min(wins), max(wins)
    missed = [0]
    wins = vec[int](n)
    parallel_do(5*n, set, wins, missed, n, remove_even)
    print set.count(), " ", sum(wins), max(wins), " ", missed[0], " ", set.contains(1), set.contains(2)

    set.clear()
    balance = vec[int](7)
    parallel_do(500, set, balance, 7, fight)
    same = 1
    for k = 0..6
        same &= balance[k] == set.contains(k)
    endfor
    print same, " ", set.count() == sum(balance), " ", numel(set.items()) == set.count()

    % On the host, with other types.
    words = Concurrent_stack[string]()
    words.push("a")
    words.push("b")
    print words.count(), words.pop(), words.pop("?"), words.pop("?")
    print words.items()
    halves = Concurrent_set[scalar]()
    for x = [2.5, 0.5, 1.5, 2.5]
        print halves.add(x)
    endfor
    print halves.remove(1.5), halves.remove(7), halves.items()
endfunction
