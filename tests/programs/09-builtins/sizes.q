C = zeros(2,3,4)
print size(C), size(C,1), size(C,3), size(C,0..1), numel(C), ndims(C)
print isempty([]), isempty([0]), " ", numel("text"), " ", size([]), ndims(5..9)
