% optimised
function [] = double(x : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            x[m,n] = 2 * x[m,n]
        endfor
    endfor
endfunction
function [] = __kernel__ k(x : vec, pos : int)
    {!sched cpu}
%   ^ Q0502 the attribute 'sched' has no effect here it stands in functions of the host
    {!unroll times=2; multi_device=true}
%                                  ^ Q0502 'multi_device' of the attribute 'unroll' takes `true` or `false`
    for i = 0..1
        x[pos] += i
    endfor
endfunction
function [] = main()
    x = zeros(4)
    y = zeros(2, 2)
    {!parallel for; multi_device=true}
    for i = 0..3
        x[i] = i
    endfor
    s = 0.0
    {!parallel for; multi_device=true}
    for i = 0..3
        s += x[i]
    endfor
    {!unroll times=2; multi_device=true}
    for i = 0..3
%   ^ Q0408 `multi_device=true` has no effect: the loop launches no kernels
        print i
    endfor
    outer:
    for j = 0..3
%   ^ Q0405 For-loop will be interpreted
        {!parallel for; multi_device=true}
        for i = 0..3
%       ^ Q0408 `multi_device=true` has no effect: not supported yet: jumps to a loop around it
            double(y)
            if i == 2
                break outer
            endif
        endfor
    endfor
    {!parallel for; multi_device=maybe}
%                                ^ Q0502 'multi_device' of the attribute 'parallel' takes `true` or `false`
    for i = 0..3
        x[i] = i
    endfor
    {!sched fast}
%   ^ Q0502 'sched' does not say where launches go write `{!sched cpu}`
    {!sched gpu_index=0}
    double(y)
    {!sched gpu}
    parallel_do(4, x, k)
endfunction
