//! Hints for users of other languages: the Quasar equivalents of names in MATLAB, Python, C and CUDA.

/// Functions, variables and constants: names in other languages, and the Quasar equivalent.
const NAMES: &[(&[&str], &str)] = &[
    (&["disp", "println", "puts", "cout"], "print"),
    (&["len", "length"], "numel"),
    (&["shape"], "size"),
    (&["ndim"], "ndims"),
    (&["True", "TRUE"], "true"),
    (&["False", "FALSE"], "false"),
    (&["None", "null", "NULL", "nil"], "nullptr"),
    (&["Inf", "INFINITY"], "inf"),
    (&["NaN", "NAN"], "nan"),
    (&["threadIdx"], "blkpos"),
    (&["blockIdx"], "blkidx"),
    (&["blockDim"], "blkdim"),
    (&["gridDim"], "blkcnt"),
    (&["__syncthreads"], "syncthreads"),
    (&["__threadfence"], "memfence"),
    (&["range", "arange"], "0..n-1"),
    (&["fabs", "fabsf"], "abs"),
    (&["sqrtf"], "sqrt"),
    (&["expf"], "exp"),
    (&["fmax", "fmaxf", "maximum"], "max"),
    (&["fmin", "fminf", "minimum"], "min"),
    (&["concat", "concatenate"], "cat"),
    (&["tile"], "repmat"),
    (&["empty", "malloc"], "uninit"),
    (&["str", "to_string", "mat2str"], "tostring"),
    (&["int2str"], "num2str"),
    (&["strrep"], "strreplace"),
    (&["linsolve", "mldivide"], "solve"),
    (&["eig"], "symeig"),
    (&["chol"], "cholesky"),
    (&["fft"], "fft1"),
    (&["ifft"], "ifft1"),
];

/// Types.
const TYPES: &[(&[&str], &str)] = &[
    (&["float", "f32", "float32"], "scalar'single"),
    (&["double", "f64", "float64"], "scalar'double"),
    (&["half", "f16", "float16"], "scalar'half"),
    (&["i32", "long", "integer", "bool", "boolean", "logical"], "int"),
    (&["i8", "char"], "int8"),
    (&["i16", "short"], "int16"),
    (&["i64"], "int64"),
    (&["u8", "uchar", "byte"], "uint8"),
    (&["u16", "ushort"], "uint16"),
    (&["u32", "unsigned"], "uint32"),
    (&["u64", "size_t", "usize"], "uint64"),
    (&["str", "String"], "string"),
    (&["complex"], "cscalar"),
    (&["float2", "float3", "float4"], "vec(n)"),
    (&["int2", "int3", "int4"], "ivec(n)"),
    (&["array", "ndarray", "tensor", "Array"], "cube{n}"),
];

/// Members: properties of arrays, and components of small vectors.
const FIELDS: &[(&[&str], &str)] = &[
    (&["length", "len", "numel", "count"], "numel(..)"),
    (&["shape", "size"], "size(..)"),
    (&["ndim", "ndims"], "ndims(..)"),
    (&["T"], "transpose(..)"),
    (&["real"], "real(..)"),
    (&["imag"], "imag(..)"),
    (&["x", "r"], "[0]"),
    (&["y", "g"], "[1]"),
    (&["z", "b"], "[2]"),
    (&["w"], "[3]"),
];

/// The hint for a name of another language.
pub(crate) fn foreign_name(name: &str) -> Option<String> {
    find(NAMES, name)
}

/// The hint for a type of another language.
pub(crate) fn foreign_type(name: &str) -> Option<String> {
    find(TYPES, name)
}

/// The hint for a member of another language.
pub(crate) fn foreign_field(name: &str) -> Option<String> {
    find(FIELDS, name)
}

fn find(table: &[(&[&str], &str)], name: &str) -> Option<String> {
    let (_, here) = table.iter().find(|(words, _)| words.contains(&name))?;
    Some(format!("here it is written '{here}'"))
}

/// All tables, for the test that the recommended names exist.
#[cfg(test)]
pub(crate) const FOREIGN: [&[(&[&str], &str)]; 3] = [NAMES, TYPES, FIELDS];
