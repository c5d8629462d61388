% Variables of the module that functions read before they are set.
function y = read()
    y = count + 1
endfunction
function y = through()
    y = read()
endfunction
function [] = attempt(f)
    try
        print f()
    catch e
        print e.message
    endtry
endfunction
function y = sometimes()
    y = other
endfunction
function y = number(text : string)
    y = str2num(text)
endfunction
if number("1") > 2
    count = 1
    other = 2
endif
attempt(() -> read())
attempt(() -> through())
count = 3
attempt(() -> through())
attempt(() -> sometimes())
try
    print other
catch e
    print e.message
endtry
if number("1") > 0
    other = 9
endif
attempt(() -> sometimes())
function [] = main()
    print read() + sometimes()
endfunction
