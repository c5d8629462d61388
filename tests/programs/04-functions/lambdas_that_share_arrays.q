% A lambda expression reads the array that a loop changes, by another name: each round sees what the ones before have done.
function [] = main()
    values : 'mirror = [1, 4, 7, 10, 0, 3]
    at = (x : int) -> mod(values[7] > x ? values[3] : 5, 101)
    for n = 0..5
        values[n] += mod(at(n), 101)
    endfor
    print values
    ring : 'circular = [-1, 12, 2, 8, 11, 10, 4, 9]
    last = () -> mod(ring[11], 7)
    for n = 0..7
        ring[n] += last()
    endfor
    print ring
endfunction
