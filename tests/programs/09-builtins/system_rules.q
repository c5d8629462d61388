% What `system.q` and `inttypes.q` hold, and what works beside them without an import.
import "system.q"
import "inttypes.q"
function y = kind(x : AllInt)
    y = "whole"
endfunction
function y = kind(x : ComplexNumber)
    y = "complex"
endfunction
function y = kind(x : matrix_type)
    y = "matrix"
endfunction
function y = __device__ larger(x : RealNumber)
    y = x > 2
endfunction
function [] = main()
    A = [[1.0,-2.0],[3.0,-4.0]]
    B = [[1.0,5.0],[0.0,4.0]]
    A[A < 0] = 0
    print A
    A[A >= B && A != 0] = B
    print A
    A[A == 0 || A > 3] = 9
    print A
    print kind(int8(3)), " ", kind(2), " ", kind(1j), " ", kind([[1.0]]), " ", kind([1j]), " ", kind(zeros(2,2,2)), " ", larger(3.0)
    % Rules: what stands for what shows in the text of the inner argument, and in what is computed.
    print real(A) == A, " ", real(3), " ", type(real(int8(3))), " ", real([1j,2])
    A[0,0] = 2
    T = transpose(transpose(A))
    T[0,1] = 7
    print A[0,1], " ", transpose(transpose([1,2]))
    print round(real(ifft1(fft1([1,2,3,4])))), " ", type(real(ifft3(fft3(ones(2,2,2)))))
    print diag(A), " ", diagm([1.0,2.0]), " ", trace(A), " ", herm_transpose([[1j,2]])
    print circshift([1,2,3],1), any([0,1]), all([0,1]), nextpow2(5), prevpow2(5), fliplr([1,2,3]), find([0,1,1]), saturate(1.5)
    x = uint8([250,251])
    print x + uint8(10), " ", type(x + uint8(10)), " ", uint8_to_float(x)/2, " ", float_to_uint8([300.0,-3.0,7.9,0/0])
    s : vec[uint8'sat] = [0,0]
    s[0] = 300
    s[1] = -5
    print s, " ", min(x, uint8(3)), " ", x > uint8(250), " ", type(float_to_uint8(1.5))
    z = zeros(3)
    parallel_do(3, __kernel__ (pos : int) -> z[pos] = uint8_to_float(float_to_uint8(200.0*pos)))
    print z
endfunction
