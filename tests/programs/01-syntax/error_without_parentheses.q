try
    error "code ", 7, " of ", 2.5
catch ex
    print ex.message
endtry
