% single: prints types and limits of single precision
% Sizes of parameters are checked, also when the program runs; they are known of what is read from a type.
function [] = rgb(x : cube(:,:,3))
    print size(x)
endfunction
function [] = four(x : cube(:,4,:))
    print size(x)
endfunction
function x : cube = make(a : int, b : int, c : int)
    x = zeros(a, b, c)
endfunction
rgb(make(4,4,3))
four(make(2,4,3))
try
    rgb(make(4,4,1))
catch e
    print e.message
endtry
try
    y : cube(:,:,3) = make(4,4,1)
catch e
    print e.message
endtry
try
    four(make(4,3,1))
catch e
    print e.message
endtry
function [] = lin[N](a : mat(2,N), b : mat(2+N, 2*N))
    print N
endfunction
lin(zeros(2,3), zeros(5,6))
c512 = zeros(512,4,3)
print type(c512[5,:,:]), type(c512[0..1,0,0])
