y = zeros(3)
#pragma force_serial
for k = 0..2
    y[k] = k + 1
endfor
#pragma force_parallel
for k = 0..2
    y[k] = 2*y[k]
endfor
#pragma loop_parallelizer(off)
for k = 0..2
    y[k] = y[k] + 1
endfor
print y
