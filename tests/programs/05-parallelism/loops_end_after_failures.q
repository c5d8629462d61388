% What a failed access gives may keep a loop going: chains that lead outside of the array, in loops of both kinds, in functions that
% kernels call, and beside positions whose loops end by themselves.
function y = steps(next : ivec)
    y = zeros(numel(next))
    for i = 0..numel(next)-1
        p = i
        s = 0
        while next[p] >= 0
            p = next[p]
            s += 1
        endwhile
        y[i] = s
    endfor
endfunction
function p = __device__ last(next : ivec'checked, p : int)
    repeat
        p = next[p]
    until next[p] < 0
endfunction
function y = ends(next : ivec)
    y = zeros(numel(next))
    for i = 0..numel(next)-1
        y[i] = last(next, i)
    endfor
endfunction
function [] = attempt(f, next)
    try
        print f(next)
    catch
        print "failed"
    endtry
endfunction
attempt(steps, [1,2,3,-1])
attempt(steps, [1,2,7])
attempt(steps, [1,-1,70,1])
attempt(ends, [1,2,3,-5,3])
