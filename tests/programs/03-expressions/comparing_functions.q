% Functions are compared by which function they are.
fa = x -> x + 1
g = fa
h = x -> x + 1
function y = named(x)
    y = x
endfunction
print fa == g, fa == h, fa != h, " ", named == named, named == fa
print sin == sin, sin == cos, sin != cos, " ", fa == nullptr, fa != nullptr
