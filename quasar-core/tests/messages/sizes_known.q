function [] = main()
    A = zeros(2,3)
    B = zeros(3,3)
    a = A + B
%       ^ Q0311 Dimensions do not match: 2x3 and 3x3
    b = A*A
%       ^ Q0311 Matrix dimensions (2x3 and 2x3) do not match for multiplication!
    c = [1,2,3] + [1,2]
%       ^ Q0311 Dimensions do not match: 3 and 2
    A[0,:] = [1,2]
%   ^ Q0311 Dimensions do not match: 3 elements are selected and 2 are assigned ('vec(3)' and 'ivec(2)')
    [x, y] = [1,2,3]
%   ^ Q0319 3 values for 2 targets
    d = [[1,2],[3,4,5]]
%       ^ Q0317 the rows of an array literal must have one size, found 'ivec(2)', 'ivec(3)'
    e = [[1,2], 3]
%       ^ Q0317 the elements of an array literal must all be numbers, or all be arrays of one size, found 'ivec(2)', 'int'; use {..} for a cell
    f = reshape(A, [4,2])
%       ^ Q0311 cannot reshape 6 elements into 4x2, which has 8
    g = A^2
%       ^ Q0311 '^' is defined for square matrices with a non-negative integer exponent, found 'mat(2,3)' and 'int'; use '.^' for element by element
    print a, b, c, x, y, d, e, f, g
endfunction
