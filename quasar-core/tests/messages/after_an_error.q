function [] = f()
    try
        error "code ", 7
        x = 3
    catch ex
        print x
%             ^ Q0202 'x' is read here before it is assigned
    endtry
endfunction
f()
