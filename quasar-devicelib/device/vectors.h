// Vector loads and stores of adjacent elements: so many bytes, at an address aligned to their number.

//: cuda
Q_FN void q_fetch_16(void *to, const void *from) { *(uint4 *)to = *(const uint4 *)from; }

Q_FN void q_fetch_8(void *to, const void *from) { *(uint2 *)to = *(const uint2 *)from; }

Q_FN void q_fetch_4(void *to, const void *from) { *(q_u32 *)to = *(const q_u32 *)from; }

Q_FN void q_put_16(void *to, const void *from) { *(uint4 *)to = *(const uint4 *)from; }

Q_FN void q_put_8(void *to, const void *from) { *(uint2 *)to = *(const uint2 *)from; }

Q_FN void q_put_4(void *to, const void *from) { *(q_u32 *)to = *(const q_u32 *)from; }

//: opencl
Q_FN void q_fetch_16(void *to, const __global void *from) { *(uint4 *)to = *(const __global uint4 *)from; }

Q_FN void q_fetch_8(void *to, const __global void *from) { *(uint2 *)to = *(const __global uint2 *)from; }

Q_FN void q_fetch_4(void *to, const __global void *from) { *(uint *)to = *(const __global uint *)from; }

Q_FN void q_put_16(__global void *to, const void *from) { *(__global uint4 *)to = *(const uint4 *)from; }

Q_FN void q_put_8(__global void *to, const void *from) { *(__global uint2 *)to = *(const uint2 *)from; }

Q_FN void q_put_4(__global void *to, const void *from) { *(__global uint *)to = *(const uint *)from; }
