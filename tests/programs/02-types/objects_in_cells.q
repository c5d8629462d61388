% a queue simulation with objects in a cell, closures that count, ternaries
type job : mutable class
    id : int
    left : int
    done : int
endtype
function jobs = make(n)
    jobs = cell(n)
    for k = 0..n-1
        jobs[k] = job(id:=k, left:=mod(k*7, 5) + 1, done:=-1)
    endfor
endfunction
function t = run(jobs, slice : int = 2)
    t = 0
    open = numel(jobs)
    while open > 0
        for j = jobs
            if j.left > 0
                step = min(j.left, slice)
                j.left -= step
                t += step
                if j.left == 0
                    j.done = t
                    open -= 1
                endif
            endif
        endfor
    endwhile
endfunction
function [] = main()
    jobs = make(5)
    print run(jobs)
    times = zeros[int](5)
    for k = 0..4
        times[k] = jobs[k].done
    endfor
    print times
    jobs = make(4)
    print run(jobs, slice := 1)
    mean_time = 0.0
    for j = jobs
        mean_time += j.done / numel(jobs)
    endfor
    print mean_time
    counter = zeros[int](1)
    count = () -> counter[0] += 1
    for k = 1..5
        count()
    endfor
    print counter[0]
    print jobs[0].id == 0 ? "first" : "other", jobs[1].done > jobs[2].done ? 1 : 2.5
    history = {}
    for k = 0..2
        history = {...history, {k, "step " + k}}
    endfor
    print numel(history), history[2][1]
endfunction
