s = vidopen("film.y4m")
%   ^ Q0001 not supported yet: the library function 'vidopen'
f = figure()
%   ^ Q0001 not supported yet: the library function 'figure'
    plot([1,2], [3,4])
%   ^ Q0001 not supported yet: the library function 'plot'
print exist("x")
%     ^ Q0001 not supported yet: the library function 'exist'
    device_info()
%   ^ Q0001 not supported yet: the library function 'device_info'
