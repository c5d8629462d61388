% What is joined with an empty vec of numbers keeps its type of numbers.
function [] = main()
    w = zeros(0)
    v = horzcat(w, 5)
    v[0] = 2.75
    print v
    v = horzcat(w, [1,2], 7)
    v[1] = 0.5
    print v
    k = horzcat(ivec(0), 5)
    print k, type(k)
    print horzcat(ivec(0), [1.5,2])
end
