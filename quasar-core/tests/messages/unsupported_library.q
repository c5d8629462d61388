s = vidopen("film.y4m")
%   ^ Q0001 not supported yet: the library function 'vidopen'
    sync_framerate(25)
%   ^ Q0001 not supported yet: the library function 'sync_framerate'
print exist("x")
%     ^ Q0001 not supported yet: the library function 'exist'
    device_info()
%   ^ Q0001 not supported yet: the library function 'device_info'
