% Lambdas and inner functions capture variables of the module when they are made; named functions read them when called.
G = 1
tab = [1,2]
function f = made()
   f = x -> x + G + tab[0]
endfunction
function y = named()
   y = G
endfunction
function f = inner()
   function y = own(x)
      y = x + G
   endfunction
   f = own
endfunction
f = made()
g = inner()
h = x -> x + G
G = 10
tab = [100, 2]
print f(0), " ", g(0), " ", h(0), " ", named()
print made()(0), " ", inner()(0)
