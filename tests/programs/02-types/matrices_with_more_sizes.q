% More sizes than the name has dimensions are more dimensions.
function y : mat(2,3,:) = scaled(x : mat(2,3,:), a : scalar)
    y = a*x
endfunction
print size(scaled(ones(2,3,4), 2)), sum(scaled(ones(2,3,4), 2))
B : mat(2,2,2,:) = zeros(2,2,2,3)
print size(B), type(B, "cube{4}")
