% Loops of unknown length that work on elements of arrays.
function n : int = reach(x : vec, limit : scalar)
    n = 0
    s = 0.0
    while n < numel(x) && s < limit
        s += x[n]
        n += 1
    end
end

function [] = sort(x : vec)
    i = 1
    while i < numel(x)
        v = x[i]
        j = i
        while j > 0 && x[j-1] > v
            x[j] = x[j-1]
            j -= 1
        end
        x[j] = v
        i += 1
    end
end

function k : int = first_zero(x : vec'checked)
    k = 0
    while x[k] != 0
        k += 1
    end
end

function k : int = first_other(x : vec'checked)
    k = -1
    repeat
        k += 1
    until x[k] != 1
end

function s : scalar = halve(x : vec)
    s = sum(x)
    while s > 1
        for i = 0..numel(x)-1
            x[i] = x[i] / 2
        end
        s = 0.0
        for i = 0..numel(x)-1
            s += x[i]
        end
    end
end

x = [3.5,1,2,5,4]
print reach(x, 5.5), ",", reach(x, 100)
sort(x)
print x
print first_zero([4,2,0,1]), ",", first_other([1,1,1,7])
try
    print first_zero([4,2,1])
catch ex
    print "an error"
end
try
    print first_other([1,1,1])
catch ex
    print "an error"
end
print halve(x)
print x
