    import "no_such_module.q"
%   ^ Q0211 the module 'no_such_module.q' was not found
    import "Unknown.dll"
%   ^ Q0210 the native library 'Unknown.dll' is not known
print 1
