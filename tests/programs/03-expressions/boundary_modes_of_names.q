% boundary modes everywhere
function [] = __kernel__ shift(x : vec, y : vec, k : int, pos : int)
    y[pos] = x[pos + k]
endfunction
function [] = __kernel__ modes(x : vec, y : mat, pos : int)
    a : vec'circular = x
    b : vec'mirror = x
    c : vec'clamped = x
    y[0, pos] = a[pos - 3]
    y[1, pos] = b[pos - 3]
    y[2, pos] = c[pos - 3]
    y[3, pos] = x[pos - 3]
endfunction
function [] = main()
    x = [1,2,3,4]*1.0
    y = zeros(4, 10)
    parallel_do(10, x, y, modes)
    print y
    c : vec'circular = x
    m : vec'mirror = x
    s : vec'safe = x
    k : vec'clamped = x
    for i = -5..5
        print c[i], " ", m[i], " ", s[i], " ", k[i]
    endfor
    s[10] = 5
    c[-1] = 7
    print x
    print c[-2..5], m[-2..5], s[-2..5], k[-2..5]
    z = zeros(4)
    parallel_do(4, x, z, 1, shift)
    print z
    try
        print x[4]
    catch e
        print e.message
    endtry
    try
        x[-1] = 3
    catch e
        print e.message
    endtry
    w : mat'mirror = reshape(x, [2,2])
    print w[-1..2, -1..2]
    try
        print x[2..6]
    catch e
        print e.message
    endtry
    v : vec'checked = x
    try
        {!parallel for}
        for i = 0..5
            z[mod(i,4)] = v[i]
        endfor
    catch e
        print "inside of the loop"
    endtry
endfunction
