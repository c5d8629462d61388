function [] = main()
    x = ones(4, 4)
    y = imfilter(x, ones(3, 3))
%       ^ Q0201 unknown name 'imfilter' 'imfilter' is in the library: write `import "imfilter.q"` at the beginning
    l = List[int]()
%       ^ Q0201 unknown name 'List' 'List' is in the library: write `import "list.q"` at the beginning
    [n, k] = bwlabel(x)
%            ^ Q0201 unknown name 'bwlabel' here it is written 'label_components': write `import "regions.q"` at the beginning
    s = strrep("abc", "b", "x")
%       ^ Q0201 unknown name 'strrep' here it is written 'strreplace'
    o = argsort([3, 1, 2])
%       ^ Q0201 unknown name 'argsort' here it is written '[_, order] = sort(x)'
    z = zeros_like(x)
%       ^ Q0201 unknown name 'zeros_like' here it is written 'zeros(size(x))'
    atomicAdd(x, 1)
%   ^ Q0201 unknown name 'atomicAdd' here it is written 'x[k] += v'
    labels = 3
    print label
%         ^ Q0201 unknown name 'label' did you mean 'labels'?
    print y, l, n, k, s, o, z, labels
endfunction
