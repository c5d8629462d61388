function [] = main()
    {!sched gpu_index=1.5}
%                     ^ Q0304 the number of a GPU is an integer
    {!sched gpu_index=[0,1]}
%                     ^ Q0304 the number of a GPU is an integer
    {!sched gpu_index=number_of_nothing}
%                     ^ Q0201 number_of_nothing
    print 1
endfunction
