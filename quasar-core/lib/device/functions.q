% functions.q: library functions as kernels and device functions have them, where they are not a few operations on elements.
% Calls of the functions of these names in such code are calls of these; the values are those of the library for host code.

% The index along each dimension, the last one running fastest.
function p = __device__ ind2pos(sizes : ivec'unchecked, index : int)
    p = copy(sizes)
    left = index
    for k = numel(sizes)-1..-1..1
        if sizes[k] <= 0
            error("ind2pos: sizes must be positive")
        endif
        p[k] = mod(left, sizes[k])
        left = int((double(left) - p[k]) / sizes[k])
    endfor
    p[0] = left
endfunction

% The positions of elements that are not zero, a row for each.
function y = __device__ find[T](x : vec[T]'unchecked)
    count = 0
    for i = 0..numel(x)-1
        if x[i] != 0
            count += 1
        endif
    endfor
    y : 'unchecked = uninit[int](count, 2)
    row = 0
    for i = 0..numel(x)-1
        if x[i] != 0
            y[row,0] = 0
            y[row,1] = i
            row += 1
        endif
    endfor
endfunction

function y = __device__ find[T](x : mat[T]'unchecked)
    count = 0
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            if x[i,j] != 0
                count += 1
            endif
        endfor
    endfor
    y : 'unchecked = uninit[int](count, 2)
    row = 0
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            if x[i,j] != 0
                y[row,0] = i
                y[row,1] = j
                row += 1
            endif
        endfor
    endfor
endfunction

function y = __device__ find[T](x : cube[T]'unchecked)
    count = 0
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            for k = 0..size(x,2)-1
                if x[i,j,k] != 0
                    count += 1
                endif
            endfor
        endfor
    endfor
    y : 'unchecked = uninit[int](count, 3)
    row = 0
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            for k = 0..size(x,2)-1
                if x[i,j,k] != 0
                    y[row,0] = i
                    y[row,1] = j
                    y[row,2] = k
                    row += 1
                endif
            endfor
        endfor
    endfor
endfunction

% The first place of an element, or -1.
function place : int = __device__ find[T](x : vec[T]'unchecked, element : T)
    place = -1
    for i = numel(x)-1..-1..0
        if x[i] == element
            place = i
        endif
    endfor
endfunction

function place : int = __device__ find[T](x : mat[T]'unchecked, element : T)
    place = -1
    for i = size(x,0)-1..-1..0
        for j = size(x,1)-1..-1..0
            if x[i,j] == element
                place = i*size(x,1) + j
            endif
        endfor
    endfor
endfunction

% Whether a belongs behind b: what is not a number comes last.
function y : int = __device__ is_behind[T](a : T, b : T)
    y = a > b || (a != a && b == b)
endfunction

% Elements in ascending order with their old places; equal ones keep their order.
function [y, places] = __device__ sort[T](x : vec[T]'unchecked)
    n = numel(x)
    y = copy(x)
    places = copy(int(x))
    for i = 0..n-1
        item = x[i]
        k = i
        while k > 0 && is_behind(y[k-1], item)
            y[k] = y[k-1]
            places[k] = places[k-1]
            k -= 1
        endwhile
        y[k] = item
        places[k] = i
    endfor
endfunction

function [y, places] = __device__ sort[T](x : vec[T]'unchecked, dimension : int)
    if dimension != 0
        error("sort: a vector has dimension 0")
    endif
    [y, places] = sort(x)
endfunction

% Within the only rows or columns that have several elements, otherwise within rows.
function [y, places] = __device__ sort[T](x : mat[T]'unchecked)
    dimension = 1
    if size(x,1) == 1 && size(x,0) != 1
        dimension = 0
    endif
    [y, places] = sort(x, dimension)
endfunction

function [y, places] = __device__ sort[T](x : mat[T]'unchecked, dimension : int)
    if dimension < 0 || dimension > 1
        error("sort: a matrix has dimensions 0 and 1")
    endif
    y = copy(x)
    places = copy(int(x))
    n = size(x,dimension)
    for line = 0..size(x,1-dimension)-1
        for i = 0..n-1
            item = dimension == 1 ? x[line,i] : x[i,line]
            k = i
            if dimension == 1
                while k > 0 && is_behind(y[line,k-1], item)
                    y[line,k] = y[line,k-1]
                    places[line,k] = places[line,k-1]
                    k -= 1
                endwhile
                y[line,k] = item
                places[line,k] = i
            else
                while k > 0 && is_behind(y[k-1,line], item)
                    y[k,line] = y[k-1,line]
                    places[k,line] = places[k-1,line]
                    k -= 1
                endwhile
                y[k,line] = item
                places[k,line] = i
            endif
        endfor
    endfor
endfunction

% Whether a belongs before b, or is the first number behind something that is none.
function y : int = __device__ is_smaller[T](a : T, b : T)
    y = a < b || (b != b && a == a)
endfunction

% The place of the first extreme. What is not a number is none, unless there is nothing else.
function place : int = __device__ argmin[T](x : vec[T]'unchecked)
    if numel(x) == 0
        error("argmin: an empty array has no extremum")
    endif
    place = 0
    for i = 1..numel(x)-1
        if is_smaller(x[i], x[place])
            place = i
        endif
    endfor
endfunction

function place : int = __device__ argmin[T](x : mat[T]'unchecked)
    if numel(x) == 0
        error("argmin: an empty array has no extremum")
    endif
    place = 0
    best = x[0,0]
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            if is_smaller(x[i,j], best)
                best = x[i,j]
                place = i*size(x,1) + j
            endif
        endfor
    endfor
endfunction

function place : int = __device__ argmax[T](x : vec[T]'unchecked)
    if numel(x) == 0
        error("argmax: an empty array has no extremum")
    endif
    place = 0
    for i = 1..numel(x)-1
        if x[i] > x[place] || (x[place] != x[place] && x[i] == x[i])
            place = i
        endif
    endfor
endfunction

function place : int = __device__ argmax[T](x : mat[T]'unchecked)
    if numel(x) == 0
        error("argmax: an empty array has no extremum")
    endif
    place = 0
    best = x[0,0]
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            if x[i,j] > best || (best != best && x[i,j] == x[i,j])
                best = x[i,j]
                place = i*size(x,1) + j
            endif
        endfor
    endfor
endfunction

function place : int = __device__ index_of_min(x)
    place = argmin(x)
endfunction

function place : int = __device__ index_of_max(x)
    place = argmax(x)
endfunction

function y = __device__ diag[T](A : mat[T]'unchecked)
    n = min(size(A,0), size(A,1))
    y : 'unchecked = uninit[T](n)
    for i = 0..n-1
        y[i] = A[i,i]
    endfor
endfunction

function y = __device__ diagonal[T](A : mat[T]'unchecked)
    y = diag(A)
endfunction

function A = __device__ diagm[T](x : vec[T]'unchecked)
    A : 'unchecked = zeros[T](numel(x), numel(x))
    for i = 0..numel(x)-1
        A[i,i] = x[i]
    endfor
endfunction

function y : T = __device__ trace[T](A : mat[T]'unchecked)
    if size(A,0) != size(A,1)
        error("trace: the matrix must be square, its size is ", size(A,0), "x", size(A,1))
    endif
    y = 0
    for i = 0..size(A,0)-1
        y += A[i,i]
    endfor
endfunction

% The p-norm. Powers are of numbers up to 1, so that they are in range.
function y : T = __device__ norm[T](x : vec[T]'unchecked, p : T)
    if !(p > 0)
        error("norm: the order of a norm must be positive, found ", p)
    endif
    largest : T = 0
    for i = 0..numel(x)-1
        size_of = abs(x[i])
        if size_of > largest || size_of != size_of
            largest = size_of
        endif
    endfor
    y = largest
    if largest > 0 && isfinite(largest) && isfinite(p)
        total : T = 0
        for i = 0..numel(x)-1
            total += (abs(x[i])/largest)^p
        endfor
        y = total^(1/p)*largest
    endif
endfunction

function y : T = __device__ norm[T](x : mat[T]'unchecked, p : T)
    elements : 'unchecked = uninit[T](numel(x))
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            elements[i*size(x,1) + j] = x[i,j]
        endfor
    endfor
    y = norm(elements, p)
endfunction

function y : T = __device__ norm[T](x : mat[T]'unchecked)
    y = norm(x, 2)
endfunction

% The row at or below row k whose element in column k is the largest.
function pivot : int = __device__ pivot_row[T](A : mat[T]'unchecked, k : int)
    pivot = k
    for i = k+1..size(A,0)-1
        if abs(A[i,k]) > abs(A[pivot,k])
            pivot = i
        endif
    endfor
endfunction

function [] = __device__ exchange_rows[T](A : mat[T]'unchecked, p : int, q : int)
    for j = 0..size(A,1)-1
        x = A[p,j]
        A[p,j] = A[q,j]
        A[q,j] = x
    endfor
endfunction

% By elimination with pivots.
function y : T = __device__ det[T](A : mat[T]'unchecked)
    n = size(A,0)
    if size(A,1) != n
        error("det: the matrix must be square, its size is ", n, "x", size(A,1))
    endif
    B : 'unchecked = copy(A)
    y = 1
    for k = 0..n-1
        p = pivot_row(B, k)
        if p != k
            exchange_rows(B, p, k)
            y = -y
        endif
        y *= B[k,k]
        if B[k,k] != 0
            for i = k+1..n-1
                factor = B[i,k]/B[k,k]
                for j = k+1..n-1
                    B[i,j] -= factor*B[k,j]
                endfor
            endfor
        endif
    endfor
endfunction

function y = __device__ inv[T](A : mat[T]'unchecked)
    n = size(A,0)
    if size(A,1) != n
        error("inv: the matrix must be square, its size is ", n, "x", size(A,1))
    endif
    B : 'unchecked = copy(A)
    y : 'unchecked = unit_matrix(A)
    for k = 0..n-1
        p = pivot_row(B, k)
        if B[p,k] == 0
            error("inv: the matrix is singular")
        endif
        if p != k
            exchange_rows(B, p, k)
            exchange_rows(y, p, k)
        endif
        pivot = B[k,k]
        for j = 0..n-1
            B[k,j] /= pivot
            y[k,j] /= pivot
        endfor
        for i = 0..n-1
            if i != k
                factor = B[i,k]
                for j = 0..n-1
                    B[i,j] -= factor*B[k,j]
                    y[i,j] -= factor*y[k,j]
                endfor
            endif
        endfor
    endfor
endfunction

% The lower factor L of a symmetric matrix A = L*transpose(L).
function L = __device__ cholesky[T](A : mat[T]'unchecked)
    n = size(A,0)
    if size(A,1) != n
        error("cholesky: the matrix must be square, its size is ", n, "x", size(A,1))
    endif
    L : 'unchecked = zeros[T](n, n)
    for j = 0..n-1
        for i = j..n-1
            rest = A[i,j]
            for k = 0..j-1
                rest -= L[i,k]*L[j,k]
            endfor
            if i > j
                L[i,j] = rest/L[j,j]
            else
                if !(rest > 0)
                    error("cholesky: the matrix is not positive definite")
                endif
                L[j,j] = sqrt(rest)
            endif
        endfor
    endfor
endfunction

% Cosine and sine of the angle that makes b of [[a,b],[b,d]] vanish.
function [c, s] = __device__ jacobi_angle[T](a : T, b : T, d : T)
    tau = (d - a)/(2*b)
    t = 1/(abs(tau) + sqrt(1 + tau*tau))
    if tau < 0
        t = -t
    endif
    c = 1/sqrt(1 + t*t)
    s = t*c
endfunction

function y = __device__ unit_matrix[T](A : mat[T]'unchecked)
    n = size(A,1)
    y : 'unchecked = zeros[T](n, n)
    for i = 0..n-1
        y[i,i] = 1
    endfor
endfunction

% Turns columns p and q.
function [] = __device__ turn_columns[T](A : mat[T]'unchecked, p : int, q : int, c : T, s : T)
    for i = 0..size(A,0)-1
        x = A[i,p]
        y = A[i,q]
        A[i,p] = c*x - s*y
        A[i,q] = s*x + c*y
    endfor
endfunction

function [] = __device__ turn_rows[T](A : mat[T]'unchecked, p : int, q : int, c : T, s : T)
    for j = 0..size(A,1)-1
        x = A[p,j]
        y = A[q,j]
        A[p,j] = c*x - s*y
        A[q,j] = s*x + c*y
    endfor
endfunction

function [] = __device__ exchange_columns[T](A : mat[T]'unchecked, p : int, q : int)
    for i = 0..size(A,0)-1
        x = A[i,p]
        A[i,p] = A[i,q]
        A[i,q] = x
    endfor
endfunction

function y : T = __device__ column_product[T](A : mat[T]'unchecked, p : int, q : int)
    y = 0
    for i = 0..size(A,0)-1
        y += A[i,p]*A[i,q]
    endfor
endfunction

% Eigenvectors in columns and ascending eigenvalues of a symmetric matrix, by Jacobi rotations. An element beside the diagonal
% counts as zero where it is lost when it is added to those on the diagonal.
function [V, values] = __device__ symeig[T](A : mat[T]'unchecked)
    n = size(A,0)
    if size(A,1) != n
        error("symeig: the matrix must be square, its size is ", n, "x", size(A,1))
    endif
    D : 'unchecked = copy(A)
    V : 'unchecked = unit_matrix(A)
    rotated = 1
    sweep = 0
    while rotated != 0 && sweep < 30
        rotated = 0
        sweep += 1
        for p = 0..n-2
            for q = p+1..n-1
                b = D[p,q]
                middle = sqrt(abs(D[p,p]))*sqrt(abs(D[q,q]))
                if middle + abs(b) != middle
                    rotated = 1
                    [c, s] = jacobi_angle(D[p,p], b, D[q,q])
                    turn_columns(D, p, q, c, s)
                    turn_rows(D, p, q, c, s)
                    D[p,q] = 0
                    D[q,p] = 0
                    turn_columns(V, p, q, c, s)
                endif
            endfor
        endfor
    endwhile
    values : 'unchecked = zeros[T](n)
    for i = 0..n-1
        values[i] = D[i,i]
    endfor
    for i = 1..n-1
        for k = i..-1..1
            if values[k] < values[k-1]
                x = values[k]
                values[k] = values[k-1]
                values[k-1] = x
                exchange_columns(V, k-1, k)
            endif
        endfor
    endfor
endfunction

% U, S and V with A = U*S*transpose(V): S is diagonal, with descending singular values.
function [U, S, V] = __device__ svd[T](A : mat[T]'unchecked)
    if size(A,0) < size(A,1)
        [V, S, U] = svd_of_columns(transpose(A))
    else
        [U, S, V] = svd_of_columns(A)
    endif
endfunction

% By one-sided Jacobi rotations; of a matrix with at least as many rows as columns. Squares of its elements must be in range,
% so it is divided by the largest.
function [U, S, V] = __device__ svd_of_columns[T](A : mat[T]'unchecked)
    n = size(A,1)
    scale = max(abs(A))
    if scale == 0
        scale = 1
    endif
    U : 'unchecked = A/scale
    V : 'unchecked = unit_matrix(A)
    rotated = 1
    sweep = 0
    while rotated != 0 && sweep < 30
        rotated = 0
        sweep += 1
        for p = 0..n-2
            for q = p+1..n-1
                x = column_product(U, p, p)
                y = column_product(U, q, q)
                b = column_product(U, p, q)
                middle = sqrt(x)*sqrt(y)
                if middle + abs(b) != middle
                    rotated = 1
                    [c, s] = jacobi_angle(x, b, y)
                    turn_columns(U, p, q, c, s)
                    turn_columns(V, p, q, c, s)
                endif
            endfor
        endfor
    endwhile
    S : 'unchecked = zeros[T](n, n)
    for j = 0..n-1
        S[j,j] = sqrt(column_product(U, j, j))
    endfor
    for i = 1..n-1
        for k = i..-1..1
            if S[k,k] > S[k-1,k-1]
                x = S[k,k]
                S[k,k] = S[k-1,k-1]
                S[k-1,k-1] = x
                exchange_columns(U, k-1, k)
                exchange_columns(V, k-1, k)
            endif
        endfor
    endfor
    normalise(U, S)
    for j = 0..n-1
        S[j,j] *= scale
    endfor
endfunction

% Divides columns by their lengths. Those of length 0 become directions orthogonal to the ones before.
function [] = __device__ normalise[T](U : mat[T]'unchecked, S : mat[T]'unchecked)
    m = size(U,0)
    candidate = 0
    for j = 0..size(U,1)-1
        length = S[j,j]
        if S[0,0] + length/m != S[0,0]
            for i = 0..m-1
                U[i,j] /= length
            endfor
        else
            found = 0
            while found == 0 && candidate < m
                for i = 0..m-1
                    U[i,j] = i == candidate
                endfor
                candidate += 1
                % Twice is enough to be orthogonal to working precision.
                for round = 0..1
                    for k = 0..j-1
                        along = column_product(U, k, j)
                        for i = 0..m-1
                            U[i,j] -= along*U[i,k]
                        endfor
                    endfor
                endfor
                size_left = sqrt(column_product(U, j, j))
                if size_left*size_left*m > 0.25
                    for i = 0..m-1
                        U[i,j] /= size_left
                    endfor
                    found = 1
                endif
            endwhile
        endif
    endfor
endfunction
