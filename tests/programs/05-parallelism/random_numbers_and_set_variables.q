% Loops that draw random numbers and set their variables: the numbers are those of the order of the iterations.
function [] = main()
    y = zeros(5)
    seed(2)
    for i = 0..4
        i = 4 - i
        y[i] = rand()
    endfor
    seed(2)
    z = rand(5)
    print y == z[4..-1..0], i, rand() < 1
    seed(3)
    for i = 0..4
        k = i
        i = 0
        y[k] = rand() + i
    endfor
    seed(3)
    print y == rand(5), i
    A = zeros(3,3)
    seed(4)
    for i = 0..2
        for j = 0..2
            i = mod(i + j, 3)
            A[i,j] = rand()
        endfor
    endfor
    seed(4)
    z = rand(9)
    B = zeros(3,3)
    k = 0
    for i = 0..2
        for j = 0..2
            i = mod(i + j, 3)
            B[i,j] = z[k]
            k += 1
        endfor
    endfor
    print A == B
endfunction
