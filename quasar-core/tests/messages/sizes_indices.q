function [] = main()
    A = zeros(2,2)
    print A[2,0]
%           ^ Q0316 index 2 is out of range: dimension 0 of 'A' has extent 2
    print A[0,0,1]
%               ^ Q0316 index 1 is out of range: dimension 2 of 'A' has extent 1
    A[0,-1] = 1
%       ^ Q0316 index -1 is out of range: dimension 1 of 'A' has extent 2
    v = [1,2,3]
    print v[3], v[0..3], v["a"], v[1j]
%           ^ Q0316 index 3 is out of range: dimension 0 of 'v' has extent 3
%                          ^ Q0316 an index must be a number or a vec of integers, found 'string'
%                                  ^ Q0316 an index cannot be complex
    print v[1.5]
%           ^ Q0314 implicit conversion from 'scalar' to 'int'
    n = 3
    print n[1]
%           ^ Q0316 a number has no element but the one at index 0
    print zeros(-1)
    print 1..0..5
%         ^ Q0317 the step of a sequence must not be 0
endfunction
