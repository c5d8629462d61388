s = vidopen("film.y4m")
%   ^ Q0001 not supported yet: the library function 'vidopen'
    sync_framerate(25)
%   ^ Q0001 not supported yet: the library function 'sync_framerate'
f = form("window")
%   ^ Q0001 not supported yet: the library function 'form'
