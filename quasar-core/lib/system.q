% system.q: small helpers and rules that most programs import.
%
% Known without an import, so that they need no text here: assignments under a condition (`A[A < 0] = 0`, in all forms, also as
% patterns of rules), isreal, iscomplex, isscalar, isvector, ismatrix, iscube, diag, diagm, trace, herm_transpose, lerp, circshift,
% any, all, nextpow2, prevpow2, fliplr, flipud, find, saturate, $elevate, and the type classes AllInt, RealNumber, ComplexNumber.

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

% Arrays of numbers.
type matrix_type : [cube{:}|ccube{:}|cube{:}[AllInt]]

% Of a transform only the real part is needed.
reduction (x) -> real(ifft1(x)) = irealfft1(x)
reduction (x) -> real(ifft2(x)) = irealfft2(x)
reduction (x) -> real(ifft3(x)) = irealfft3(x)

% Real numbers are their real parts, and two transpositions of a matrix undo each other.
reduction (x : [scalar|cube{:}|AllInt|cube{:}[AllInt]]) -> real(x) = x
reduction (x : [mat|cmat|mat[AllInt]]) -> transpose(transpose(x)) = x
