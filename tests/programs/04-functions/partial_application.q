function y = volume(a, b, c)
    y = a*b*c
endfunction
base = (a, b) -> c -> volume(a, b, c)
per_height = base(2, 3)
print per_height(4), " ", base(1, 1)(5)
