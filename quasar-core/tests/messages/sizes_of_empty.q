function [] = main()
    x = []
    print max(x)
%             ^ Q0312 'max' of an empty array
    print x[0]
%           ^ Q0316 index 0 is out of range: dimension 0 of 'x' has extent 0
    a = zeros(0)
    print a[0]
%           ^ Q0316 index 0 is out of range: dimension 0 of 'a' has extent 0
    v = [1,2,3]
    v[5] += 1
%     ^ Q0316 index 5 is out of range: dimension 0 of 'v' has extent 3
    print mean([]), v
endfunction
