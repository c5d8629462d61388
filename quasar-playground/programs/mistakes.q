% Mistakes and where they are shown. The compiler finds the
% first one: correct it, run the program, and read what is said
% of the second.
function y = largest(values : vec)
    y = value[0]
    for k = 1..numel(values)
        y = max(y, values[k])
    endfor
endfunction

print largest([3, 1, 4, 1, 5])
