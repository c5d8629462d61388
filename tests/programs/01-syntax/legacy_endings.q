function y = twice(x)
    y = 2*x
end
for k = 1..3
    if k == 2
        print twice(k)
    endif
end
