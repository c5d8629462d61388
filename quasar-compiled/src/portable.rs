//! Embedded PTX, which the driver compiles for any newer GPU. It is compressed, to a quarter or less, since most
//! programs never need it.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// Upper limit for decompression, in bytes; kernels of the compiler are far smaller.
const MOST: usize = 64 << 20;

/// Compresses PTX, without a terminating zero.
pub fn pack(ptx: &[u8]) -> Vec<u8> {
    const SMALLEST: u8 = 9;
    compress_to_vec(ptx.strip_suffix(b"\0").unwrap_or(ptx), SMALLEST)
}

/// Decompresses to zero-terminated PTX, as drivers expect it. `None` if the bytes are not valid.
pub fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut ptx = decompress_to_vec_with_limit(packed, MOST).ok()?;
    if ptx.is_empty() || ptx.contains(&0) {
        return None;
    }
    ptx.push(0);
    Some(ptx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back_with_one_zero() {
        let text = b".version 9.0\n.target sm_75\n.visible .entry k()\n".repeat(20);
        for end in [&b""[..], b"\0"] {
            let packed = pack(&[&text, end].concat());
            assert!(packed.len() < text.len() / 5);
            assert_eq!(unpack(&packed), Some([&text, &b"\0"[..]].concat()));
            for cut in 0..packed.len() {
                assert_eq!(unpack(&packed[..cut]), None);
            }
        }
        assert_eq!(unpack(&pack(b"")), None);
        assert_eq!(unpack(&pack(b"a\0b")), None);
        assert_eq!(unpack(b""), None);
        assert_eq!(unpack(b"neither"), None);
    }
}
