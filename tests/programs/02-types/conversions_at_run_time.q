% Conversions of values whose type is known when the program runs do what they do on values of known type.
c : cell = {2.7, -1.5, 300, "12", [1.5,-2.5], complex(1.5,0), {2.5,{-7.9,[3.5]}}}
o = object()
o.x = 2.7
o.v = [0.9,-0.9,1e3]
print int(c[0]), " ", int(c[1]), " ", int(c[2]), " ", int(c[4]), " ", int(c[6])
print type(int(c[0])), " ", type(int8(c[0])), " ", type(uint8(c[0])), " ", type(int64(c[0])), " ", type(uint32(c[2])), " ", type(int16(c[4]))
print int(o.x), " ", int32(o.x), " ", int(o.v), " ", int16(o.v), " ", int(o.x) / 2
print type(half(c[0])), " ", type(double(c[2])) == type(double(1))
print float(c[2]) / 8, " ", single(c[2]) + 0.5, " ", cscalar(c[0]), " ", half(c[1])
% What does not fit, is complex, or is no number, is an error at the conversion.
function [] = attempt(f)
    try
        print f()
    catch e
        print e.message
    endtry
endfunction
attempt(() -> uint8(c[2]))
attempt(() -> int8(c[2] * 10))
attempt(() -> uint8(c[1] * 10))
attempt(() -> int(c[5]))
attempt(() -> int(c[3]))
attempt(() -> uint16(o.v))
attempt(() -> uint8(o))
% Cells of numbers, of known and of unknown types.
print int({2.7, -1.5}), " ", int({[1.5,2.5],[3.5,4.5]}), " ", float({1, 2.5}), " ", uint8({3.9, {4.9}})
% The result is what an index, a size and a condition take.
x = [10,20,30,40]
print x[int(o.x)], " ", x[int(o.v[0..1]) + 1], " ", numel(zeros(int(o.x))), " ", size(zeros([int(o.x), c[2]]))
n : int = o.x
y : uint8'sat = c[2]
print n, " ", y, " ", cast(c[0], int)
