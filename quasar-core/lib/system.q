% system.q: small helpers that most programs import.

% sin(pi x)/(pi x), 1 at 0.
function y : scalar = __device__ sinc(x : scalar)
    y = 1.0
    if x != 0
        y = sin(pi*x)/(pi*x)
    endif
endfunction

% The value a fraction t of the way from a to b.
function y : scalar = __device__ mix(a : scalar, b : scalar, t : scalar)
    y = a + (b - a)*t
endfunction

% A smooth step from 0 below lo to 1 above hi.
function y : scalar = __device__ smoothstep(lo : scalar, hi : scalar, x : scalar)
    t = saturate((x - lo)/(hi - lo))
    y = t*t*(3 - 2*t)
endfunction

% Degrees from radians and back.
function y : scalar = __device__ degrees(x : scalar)
    y = x*180/pi
endfunction

function y : scalar = __device__ radians(x : scalar)
    y = x*pi/180
endfunction

% Of a transform only the real part is needed.
reduction (x) -> real(ifft2(x)) = irealfft2(x)
