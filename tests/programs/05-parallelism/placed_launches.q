% Launches go where `{!sched ..}` says, up to the end of the block: results are the same everywhere.
function [] = add(x : mat, y : mat, a : scalar)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = x[m,n] + a
        endfor
    endfor
endfunction

% Says something of its own, which ends with it.
function [] = add_on_cpu(x : mat, y : mat, a : scalar)
    {!sched cpu}
    add(x, y, a)
    {!sched gpu}
    add(y, y, a)
endfunction

function [] = main()
    x = ones(3,4)
    y = zeros(3,4)
    {!sched gpu}
    add(x, y, 1)
    for k = 0..5
        {!sched gpu_index=mod(k,2)}
        add(y, y, k)
        if k == 1
            {!sched cpu}
            add(y, y, 100)
            continue
        endif
        add_on_cpu(y, y, 1000)
        if k == 3
            break
        endif
        {!sched auto}
        add(y, y, 10)
    endfor
    print y[2,3]
    {!sched gpu_index=3}
    add(y, y, 0.5)
    print sum(y)
    try
        {!sched gpu_index=k-5}
        print "not reached"
    catch ex
        print ex.message
    endtry
    add(y, x, 0)
    print x[0,0]
    % Leaves a block and a `try` in which something was said.
    for k = 0..3
        {!sched gpu_index=1}
        try
            {!sched cpu}
            add(x, x, 1)
            if k == 2
                break
            endif
        catch ex
            print "not reached"
        endtry
        add(x, x, 10)
    endfor
    add(x, x, 0.25)
    print x[0,0]
endfunction
