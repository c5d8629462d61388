% Inverses, determinants and solutions of small matrices stand in kernels; devices round products and sums at once.
function y = inverses(x)
    y = zeros(size(x,0),3,3)
    for n=0..size(x,0)-1
        a = zeros(3,3)
        for i=0..2
            for j=0..2
                a[i,j] = x[n,i,j]
            end
        end
        b = inv(a)
        for i=0..2
            for j=0..2
                y[n,i,j] = b[i,j]
            end
        end
    end
end

function y = determinants(x)
    y = zeros(size(x,0))
    for n=0..size(x,0)-1
        a = [[x[n,0,0], x[n,0,1]], [x[n,1,0], x[n,1,1]]]
        y[n] = det(a)
    end
end

function y = solutions(x)
    y = zeros(size(x,0),2)
    for n=0..size(x,0)-1
        a = [[x[n,0,0], x[n,0,1]], [x[n,1,0], x[n,1,1]]]
        s = solve(a, [x[n,2,0], x[n,2,1]])
        y[n,0] = s[0]
        y[n,1] = s[1]
    end
end

% Each iteration uses the matrix of the last one.
function y = filtered(z, F, H, Q, R)
    x = zeros(4)
    P = eye(4)
    y = zeros(size(z,0),4)
    {!serial for}
    for n=0..size(z,0)-1
        x = F*x
        P = F*P*transpose(F) + Q
        S = H*P*transpose(H) + R
        K = P*transpose(H)*inv(S)
        x = x + K*(z[n,:] - H*x)
        P = (eye(4) - K*H)*P
        y[n,:] = x
    end
end

function y = first_of_inverses(x)
    y = zeros(numel(x))
    for n=0..numel(x)-1
        b = inv([[x[n],1.0],[1.0,x[n]]])
        y[n] = b[0,0]
    end
end

% The inverse is taken where it exists.
function y = where_regular(x)
    y = zeros(numel(x))
    for n=0..numel(x)-1
        a = [[x[n],1.0],[1.0,x[n]]]
        if det(a) != 0
            b = inv(a)
            y[n] = b[0,0]
        endif
    end
end

function [] = main()
    N = 40
    x = zeros(N,3,3)
    for n=0..N-1
        for i=0..2
            for j=0..2
                x[n,i,j] = mod(7*n + 3*i + 5*j*j, 11) - 4
            end
            x[n,i,i] += 0.5
        end
    end
    % The host computes them one after the other.
    y = inverses(x)
    d = determinants(x)
    s = solutions(x)
    different = 0.0
    {!interpreted for}
    for n=0..N-1
        a = squeeze(x[n,:,:])
        b = a[0..1,0..1]
        different += sum(abs(inv(a) - squeeze(y[n,:,:])))
        different += abs(det(b) - d[n])
        different += sum(abs(solve(b, a[2,0..1]) - s[n,:]))
    end
    print different < 0.001
    z = zeros(N,2)
    for n=0..N-1
        z[n,0] = n
        z[n,1] = mod(n,5)
    end
    F = eye(4)
    F[0,2] = 0.5
    F[1,3] = 0.5
    H = zeros(2,4)
    H[0,0] = 1
    H[1,1] = 1
    k = filtered(z, F, H, eye(4)*0.25, eye(2)*0.5)
    printf("%.3f %.3f %.3f %.3f\n", k[N-1,0], k[N-1,1], k[N-1,2], k[N-1,3])
    f = first_of_inverses([2.0,3.0])
    printf("%.4f %.4f\n", f[0], f[1])
    w = where_regular([2.0,1.0,3.0])
    printf("%.4f %.4f %.4f\n", w[0], w[1], w[2])
    try
        print first_of_inverses([2.0,1.0,3.0])
    catch e
        print "singular"
    end
end
