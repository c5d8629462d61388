function [] = main()
    try
        error("a")
    catch e : qexception
        print 1
    catch e
%         ^ Q0328 this clause is never reached: those before it catch all that it names
        print 2
    endtry
    try
        error("a")
    catch e : quserexception
        print 1
    catch e : quserexception
%             ^ Q0328 this clause is never reached: those before it catch all that it names
        print 2
    catch e : int
%             ^ Q0327 a `catch` clause names a class of exceptions write qexception for all of them, or one of quserexception, qassertexception, qindexexception, qsizeexception, qoverflowexception, qtypeexception, qargumentexception, qmemoryexception, qsystemexception
        print e
    endtry
    try
        error("a")
    catch e : string
%             ^ Q0327 a `catch` clause names a class of exceptions write qexception for all of them, or one of quserexception, qassertexception, qindexexception, qsizeexception, qoverflowexception, qtypeexception, qargumentexception, qmemoryexception, qsystemexception
        print e.message
    catch e : qindexexeption
%             ^ Q0201 unknown type 'qindexexeption'
%             ^ Q0328 this clause is never reached: those before it catch all that it names
        print e.message
    endtry
endfunction
