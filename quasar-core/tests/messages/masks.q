x = [1,2,3]
A = [[1,2,3],[4,5,6]]
a = x > 1 ? x : 0
%   ^ Q0310 the condition of '?:' is one number, found 'ivec(3)'
b = [1,1] ? 1 : 2
%   ^ Q0310 the condition of '?:' is one number, found 'ivec(2)'
m = x > 1
c = m ? 1 : 2
%   ^ Q0310 the condition of '?:' is one number, found 'ivec(3)'
d = A[m]
%     ^ Q0316 a mask has the shape of the array that it selects from, found 'ivec(3)' for 'imat(2,3)'
A[m] = 0
% ^ Q0316 a mask has the shape of the array that it selects from, found 'ivec(3)' for 'imat(2,3)'
e = A[:, A > 2]
%        ^ Q0316 a mask beside other indices is a vec, found 'imat(2,3)'
f = x[A > 2]
%     ^ Q0316 a mask has the shape of the array that it selects from, found 'imat(2,3)' for 'ivec(3)'
