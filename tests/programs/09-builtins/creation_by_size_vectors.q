% Size vectors whose length is known at run time only.
function n = count(sizes : ivec)
    n = numel(zeros(sizes))
endfunction
function y : cube{:} = made(sizes : ivec)
    y = ones(sizes)
    y += 1
endfunction
print count([2,3]), " ", count(1..4)
print made([3])
print made([2,2])
print sum(uninit(1..3) * 0)
