% Threads of a block that wait for each other: between barriers, neighbouring ones go by lanes on the processor.

function [] = __kernel__ sums(x : vec, y : vec, blkpos : int, blkidx : int, blkdim : int, pos : int)
    u = shared(256)
    u[blkpos] = pos < numel(x) ? x[pos] : 0.0
    syncthreads
    s = blkdim / 2
    while s > 0
        if blkpos < s
            u[blkpos] += u[blkpos + int(s)]
        endif
        syncthreads
        s = int(s) / 2
        s = floor(s)
    endwhile
    if blkpos == 0
        y[blkidx] = u[0]
    endif
endfunction

function [] = __kernel__ sums2(x : vec, y : vec, blkpos : int, blkidx : int, blkdim : int)
    u = shared(64)
    tid = blkpos
    i = blkidx*blkdim*2 + tid
    u[tid] = x[i] + x[i+blkdim]
    syncthreads
    for k = 0..5
        d = 32
        for j = 1..k
            d = d / 2
        endfor
        d = int(d)
        if tid < d
            u[tid] = u[tid] + u[tid+d]
        endif
        syncthreads
    endfor
    if tid == 0
        y[blkidx] = u[0]
    endif
endfunction

function [] = __kernel__ scan(x : vec, y : vec, blkpos : int, blkdim : int, pos : int)
    a = shared(128)
    b = shared(128)
    a[blkpos] = x[pos]
    syncthreads
    d = 1
    t = 0
    while d < blkdim
        if t == 0
            b[blkpos] = blkpos >= d ? a[blkpos] + a[blkpos-d] : a[blkpos]
        else
            a[blkpos] = blkpos >= d ? b[blkpos] + b[blkpos-d] : b[blkpos]
        endif
        t = 1 - t
        d = d*2
        syncthreads
    endwhile
    y[pos] = t == 0 ? a[blkpos] : b[blkpos]
endfunction

function [] = __kernel__ stencil(x : mat, y : mat, pos : ivec2, blkpos : ivec2, blkidx : ivec2, blkdim : ivec2)
    u = shared(18, 34)
    r0 = blkidx[0]*blkdim[0] - 1
    c0 = blkidx[1]*blkdim[1] - 1
    i = blkpos[0]
    while i < blkdim[0] + 2
        j = blkpos[1]
        while j < blkdim[1] + 2
            u[i,j] = x[r0+i, c0+j]
            j += blkdim[1]
        endwhile
        i += blkdim[0]
    endwhile
    syncthreads
    s = 0.0
    for a = 0..2
        for b = 0..2
            s += u[blkpos[0]+a, blkpos[1]+b]*(a+1)*(b+2)
        endfor
    endfor
    y[pos] = s
endfunction

function [] = __kernel__ turned(x : mat, y : mat, blkpos : ivec2, blkidx : ivec2, blkdim : ivec2)
    u = shared(16, 17)
    u[blkpos[0], blkpos[1]] = x[blkidx[0]*16 + blkpos[0], blkidx[1]*16 + blkpos[1]]
    syncthreads
    y[blkidx[1]*16 + blkpos[0], blkidx[0]*16 + blkpos[1]] = u[blkpos[1], blkpos[0]]
endfunction

function [] = __kernel__ counts(x : vec, h : vec, pos : int, blkpos : int, blkdim : int)
    u = shared(16)
    if blkpos < 16
        u[blkpos] = 0
    endif
    syncthreads
    if pos < numel(x)
        u[int(x[pos])] += 1
    endif
    syncthreads
    if blkpos < 16
        h[blkpos] += u[blkpos]
    endif
endfunction

function [] = __kernel__ volume(x : cube, y : cube, pos : ivec3, blkpos : ivec3, blkdim : ivec3)
    u = shared_zeros(2, 4, 20)
    n = blkpos[2]
    w = pos[0]*100 + pos[1]*10 + pos[2]
    u[blkpos[0], blkpos[1], n] = x[pos] + w
    syncthreads
    left = n > 0 ? u[blkpos[0], blkpos[1], n-1] : 0.0
    right = u[blkpos[0], blkpos[1], n+1]
    syncthreads
    u[blkpos[0], blkpos[1], n] = left + 2*right + w
    syncthreads
    y[pos] = u[1-blkpos[0], 3-blkpos[1], n] + left
endfunction

function [] = __kernel__ kept_ints(x : imat, y : imat, pos : ivec2, blkpos : ivec2, blkdim : ivec2)
    u = shared(8, 32)
    k = x[pos]*3 + blkpos[1]
    m = k - pos[0]
    u[blkpos[0],blkpos[1]] = m
    syncthreads
    for r = 0..3
        k = k + int(u[blkpos[0], r])*(r+1)
        z = k - m
        syncthreads
        u[blkpos[0], blkpos[1]] = z + r
        syncthreads
    endfor
    y[pos] = k + m + int(u[blkdim[0]-1-blkpos[0], blkpos[1]])
endfunction

function [] = main()
    for n = [64, 1000, 1024, 33]
        x = zeros(n)
        for k = 0..n-1
            x[k] = mod(k*7, 16)
        endfor
        y = zeros(int(ceil(n/256)))
        parallel_do([[int(ceil(n/256))*256], [256]], x, y, sums)
        print y
        y = zeros(int(ceil(n/128)))
        parallel_do([[int(ceil(n/128))*64], [64]], x, y, sums2)
        print y
        y = zeros(n)
        parallel_do([[n],[128]], x, y, scan)
        print sum(y), " ", y[n-1], " ", y[int(n/2)]
        h = zeros(16)
        parallel_do([[n],[32]], x, h, counts)
        print h
    endfor
    for s = {[16,32],[40,50],[35,67],[16,16],[7,5]}
        x = zeros(s[0],s[1])
        for i = 0..s[0]-1
            for j = 0..s[1]-1
                x[i,j] = mod(i*5+j*3, 11)
            endfor
        endfor
        y = zeros(s[0],s[1])
        parallel_do([s,[8,32]], x, y, stencil)
        print sum(y), " ", y[3,4], " ", y[s[0]-1,s[1]-1]
        y = zeros(s[0],s[1])
        parallel_do([s,[16,16]], x, y, stencil)
        print sum(y), " ", y[3,4], " ", y[s[0]-1,s[1]-1]
        y = zeros(s[1],s[0])
        parallel_do([[int(ceil(s[0]/16))*16,int(ceil(s[1]/16))*16],[16,16]], x, y, turned)
        print sum(abs(y - transpose(x)))
        z = int(x)
        w = imat(s[0],s[1])
        parallel_do([s,[8,16]], z, w, kept_ints)
        print sum(w), " ", w[1,2], " ", w[s[0]-1,s[1]-1]
        w = imat(s[0],s[1])
        parallel_do([s,[4,9]], z, w, kept_ints)
        print sum(w), " ", w[1,2], " ", w[s[0]-1,s[1]-1]
    endfor
    x = ones(4,8,40)
    y = zeros(4,8,40)
    parallel_do([size(x),[2,4,20]], x, y, volume)
    print sum(y), " ", y[1,2,3], " ", y[3,7,39], " ", y[2,0,0]
    parallel_do([size(x),[2,4,16]], x, y, volume)
    print sum(y), " ", y[1,2,3], " ", y[3,7,39], " ", y[2,0,0]
endfunction
