function [] = main()
    y = $target("gpu")
    z = $ftype("__host__")
    print y, z
endfunction
