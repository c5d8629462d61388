% Along dimensions, for elements of each type: sums of small integers are ints, means are numbers.
function [] = all_of(x : ??)
    print sum(x, 0), " ", sum(x, 1)
    print mean(x, 0), " ", mean(x)
    print mindim(x, 0), " ", maxdim(x, 1)
    print any(x, 0), " ", all(x, 1), " ", any(x), " ", all(x)
end

function [] = main()
    all_of(uint8([[200,100,0],[100,255,7]]))
    all_of(int8([[-128,100,0],[-100,127,7]]))
    all_of(int([[2000000000,1,0],[2000000000,-5,7]]))
    all_of([[0.5,1.5,0],[-0.25,8,7]])
    z = [[1+2i,3-1i],[0.5i,-3]]
    print sum(z, 0), " ", sum(z, 1), " ", mean(z, 0)
    % A dimension that an array does not have has one position.
    v = [1,2,3]
    print sum(v, 0), " ", sum(v, 1), " ", mean(v, 1), " ", std(v, 0), " ", maxdim(v, 3)
    print prod([[1,2],[3,4]], 0), " ", prod([[1,2],[3,4]], 1), " ", var([[1,2],[3,6]], 0), " ", std([[1,2],[3,6]], 1)
end
