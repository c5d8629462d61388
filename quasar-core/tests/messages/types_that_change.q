% optimised
function [] = f(n : int, a : vec, x : vec)
  if n > 3
    s = 1
%   ^ Q0325 the type of 's' is known at run time only: it has the types 'int', 'string' on different paths
  else
    s = "text"
  endif
  if n > 5
    g = 2
%   ^ Q0325 the type of 'g' is known at run time only: it has the types 'int', 'vec' on different paths
  else
    g = x
  endif
  for i = 0..n-1
% ^ Q0405 For-loop will be interpreted: it computes a value of type '??'. This may cause performance degradation. write `{!interpreted for}` before the loop if this is intended, which silences this
    a[i] = g
  endfor
  for i = 0..n-1
% ^ Q0405 For-loop will be interpreted: it computes a value of type '??'. This may cause performance degradation. write `{!interpreted for}` before the loop if this is intended, which silences this
    q = i
%   ^ Q0325 the type of 'q' is known at run time only: it has the types 'ivec(2)', 'int' on different paths
    if i > 2
       q = [1,2]
    endif
    a[i] = sum(q)
  endfor
  print s
endfunction
f(2, zeros(5), [1,2])
