// Counter-based random numbers, bit-identical to random.rs: element `index` of the sequence of `seed`.
//
// Normal numbers: the logarithm and the cosine are those of ops/double, computed without fused multiply-adds, since
// the built-in functions of devices may differ in the last digit.

//:
typedef struct q_words { q_u32 w[4]; } q_words;

Q_FN q_words q_random_bits(q_u64 seed, q_u64 index, q_u32 stream) {
    q_u32 a = (q_u32)index, b = (q_u32)(index >> 32), c = stream, d = 0;
    q_u32 k = (q_u32)seed, l = (q_u32)(seed >> 32);
#pragma unroll 10
    for (q_i32 round = 0; round < 10; round++) {
        const q_u64 p = (q_u64)a * 0xD2511F53u, q = (q_u64)c * 0xCD9E8D57u;
        a = (q_u32)(q >> 32) ^ b ^ k;
        b = (q_u32)q;
        c = (q_u32)(p >> 32) ^ d ^ l;
        d = (q_u32)p;
        k += 0x9E3779B9u;
        l += 0xBB67AE85u;
    }
    q_words words;
    words.w[0] = a;
    words.w[1] = b;
    words.w[2] = c;
    words.w[3] = d;
    return words;
}

Q_FN q_f64 q_random_fraction(q_u32 high, q_u32 low) {
    return (q_f64)((((q_u64)high << 32) | low) >> 11) * (1.0 / 9007199254740992.0);
}

Q_FN q_f32 q_uniform_f32(q_u64 seed, q_u64 index) {
    return (q_f32)(q_random_bits(seed, index, 0).w[0] >> 8) * (1.0f / 16777216.0f);
}

Q_FN q_f64 q_uniform_f64(q_u64 seed, q_u64 index) {
    const q_words words = q_random_bits(seed, index, 0);
    return q_random_fraction(words.w[0], words.w[1]);
}

// The logarithm, for arguments from 2^-53 to 1.
Q_FN q_f64 q_random_log(q_f64 x) {
    const q_u64 shifted = q_bits_f64(x) + (Q_U64(0x3ff0000000000000) - Q_U64(0x3fe6a09e667f3bcd));
    const q_f64 m = q_f64_from_bits((shifted & Q_U64(0x000fffffffffffff)) + Q_U64(0x3fe6a09e667f3bcd));
    const q_f64 k = q_f64_from_bits((shifted >> 52) | Q_U64(0x4330000000000000)) - (4503599627370496.0 + 1023.0);
    const q_f64 f = m - 1.0;
    const q_f64 s = f / (2.0 + f);
    const q_f64 z = q_product_f64(s, s);
    const q_f64 half_square = q_product_f64(q_product_f64(0.5, f), f);
    q_f64 sum = 0.1310072138350349;
    sum = q_product_f64(sum, z) + 0.13267418596474884;
    sum = q_product_f64(sum, z) + 0.15386290534658992;
    sum = q_product_f64(sum, z) + 0.181817947008978;
    sum = q_product_f64(sum, z) + 0.2222222240054776;
    sum = q_product_f64(sum, z) + 0.2857142857076445;
    sum = q_product_f64(sum, z) + 0.4000000000000094;
    sum = q_product_f64(sum, z) + 0.6666666666666666;
    const q_f64 rest = q_product_f64(s, q_product_f64(z, sum) + half_square);
    return q_product_f64(k, 0.6931471803691238) + (f - (half_square - (rest + q_product_f64(k, 1.9082149292705877e-10))));
}

// The cosine, for arguments from 0 to 2 pi.
Q_FN q_f64 q_random_cos(q_f64 x) {
    const q_f64 shifted = q_product_f64(x, 0.6366197723675814) + 6755399441055744.0;
    const q_f64 n = shifted - 6755399441055744.0;
    const q_u64 quadrant = q_bits_f64(shifted) - q_bits_f64(6755399441055744.0) + 1;
    const q_f64 first = x - q_product_f64(n, 1.5707963267341256);
    const q_f64 product = q_product_f64(n, 6.077100506303966e-11);
    const q_f64 second = first - product;
    const q_f64 second_error = (first - second) - product;
    const q_f64 last = q_product_f64(n, 2.0222662487111665e-21);
    const q_f64 r = second - last;
    const q_f64 low = (((second - r) - last) + second_error) - q_product_f64(n, 8.4784276603689e-32);
    const q_f64 z = q_product_f64(r, r);
    q_f64 result;
    if ((quadrant & 1) != 0) {
        q_f64 sum = 4.7445191096480046e-14;
        sum = q_product_f64(sum, z) + -1.1470437475266499e-11;
        sum = q_product_f64(sum, z) + 2.087675564036913e-09;
        sum = q_product_f64(sum, z) + -2.755731922096008e-07;
        sum = q_product_f64(sum, z) + 2.4801587301584066e-05;
        sum = q_product_f64(sum, z) + -0.0013888888888888887;
        sum = q_product_f64(sum, z) + 0.041666666666666664;
        const q_f64 less = q_product_f64(0.5, z), most = 1.0 - less;
        const q_f64 rest = q_product_f64(q_product_f64(z, z), sum) - q_product_f64(r, low);
        result = most + (((1.0 - most) - less) + rest);
    } else {
        q_f64 sum = -7.584263996034166e-13;
        sum = q_product_f64(sum, z) + 1.605848950955874e-10;
        sum = q_product_f64(sum, z) + -2.5052105961377e-08;
        sum = q_product_f64(sum, z) + 2.7557319218542833e-06;
        sum = q_product_f64(sum, z) + -0.0001984126984126402;
        sum = q_product_f64(sum, z) + 0.008333333333333331;
        sum = q_product_f64(sum, z) + -0.16666666666666666;
        const q_f64 rest = q_product_f64(low, 1.0 - q_product_f64(0.5, z));
        result = r + (q_product_f64(q_product_f64(r, z), sum) + rest);
    }
    return q_f64_from_bits(q_bits_f64(result) ^ ((quadrant & 2) << 62));
}

Q_FN q_f64 q_normal_f64(q_u64 seed, q_u64 index) {
    const q_words words = q_random_bits(seed, index, 0);
    const q_f64 u = q_random_fraction(words.w[0], words.w[1]), v = q_random_fraction(words.w[2], words.w[3]);
    const q_f64 radius = sqrt(-2.0 * q_random_log(1.0 - u));
    return radius * q_random_cos(6.283185307179586 * v);
}

Q_FN q_f32 q_normal_f32(q_u64 seed, q_u64 index) { return (q_f32)q_normal_f64(seed, index); }

// A uniform integer in 0..n, for n > 0.
Q_FN q_u32 q_random_below(q_u64 seed, q_u64 index, q_u32 n) {
    const q_u32 threshold = (0u - n) % n;
    for (q_u32 stream = 0;; stream++) {
        const q_words words = q_random_bits(seed, index, stream);
        for (q_i32 k = 0; k < 4; k++) {
            const q_u64 product = (q_u64)words.w[k] * n;
            if ((q_u32)product >= threshold) return (q_u32)(product >> 32);
        }
    }
}
