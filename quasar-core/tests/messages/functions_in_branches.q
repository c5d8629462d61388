FAST = 1
if FAST
    function y = chosen(x)
        y = x
    endfunction
else
    function y = chosen(x)
        y = "never" + zeros(2)
    endfunction
endif
if rand(1)[0] > 2
    function y = late(x)
        y = 1
    endfunction
else
    function y = late(x)
%                ^ Q0217 'late' is defined in several branches, and which one is taken is known at run time only define one function and put the branches into its body, or assign lambdas to a variable
        y = 2
    endfunction
endif
print chosen(1), late(1)
function [] = g(n : int)
    if n > 2
        function y = h(x)
            y = 1
        endfunction
    elseif n > 1
        function y = h(x)
%                    ^ Q0217 'h' is defined in several branches
            y = 2
        endfunction
    else
        function y = own(x)
            y = h(x)
%               ^ Q0201 unknown name 'h'
        endfunction
        print own(1)
    endif
    print h(1)
    print own(2)
%         ^ Q0201 unknown name 'own'
    f = x -> 1
    if n > 2
        f = x -> 2
    endif
    print f(0)
endfunction
g(3)
