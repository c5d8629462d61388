% Kernels that the running program chooses: by a condition, from a cell, as a parameter; with what they capture, specialised
% for a value, and with a result.
function [] = run(sel, a)
  x = linspace(0,3,4)
  y = zeros(4)
  n = 10
  add = __kernel__ (x, pos : int) -> y[pos] = x[pos] + a
  mul = __kernel__ (x, pos : int) -> y[pos] = x[pos] * n
  k = sel > 0 ? add : mul
  parallel_do(4, x, k)
  print y
endfunction
run(1, 5)
run(0, 5)
function total : scalar = __kernel__ suma(x : vec, pos : int)
  total += x[pos]
endfunction
function total : scalar = __kernel__ sumb(x : vec, pos : int)
  total += x[pos]^2
endfunction
function s = sum_by(x, squares)
  k = squares ? sumb : suma
  s = parallel_do(numel(x), x, k)
endfunction
print sum_by([1.,2.,3.], false)
print sum_by([1.,2.,3.], true)
scale = 3
function [] = __kernel__ ka(x : vec, y : vec, f : scalar, pos : int)
  y[pos] = f*x[pos]*scale
endfunction
function [] = __kernel__ kb(x : vec, y : vec, f : scalar, pos : int)
  y[pos] = f+x[pos]
endfunction
function [] = go(sel)
  x = [1.,2.,3.]
  y = zeros(3)
  ks = {ka, kb, ka}
  for i = 0..2
    parallel_do(3, x, y, i+0.5, ks[i])
    print y
  endfor
  if sel
    k = $specialize(ka, f==2.0)
  else
    k = $specialize(kb, f==4.0)
  endif
  parallel_do(3, x, y, k)
  print y
endfunction
go(true)
go(false)
function [] = launch_it(k : kernel_function, x, y)
  parallel_do(numel(x), x, y, 2.0, k)
  print y
endfunction
launch_it(ka, [1.,2.], zeros(2))
launch_it(kb, [1.,2.], zeros(2))
