//! Hints for users of other languages: the Quasar equivalents of names in MATLAB, Python, C and CUDA, and the modules that names of
//! the library come from.

use crate::source::library::module_of;

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
    (&["fmax", "fmaxf", "maximum", "amax", "nanmax"], "max"),
    (&["fmin", "fminf", "minimum", "amin", "nanmin"], "min"),
    (&["concat", "concatenate"], "cat"),
    (&["tile"], "repmat"),
    (&["empty", "malloc"], "uninit"),
    (&["str", "to_string", "mat2str"], "tostring"),
    (&["int2str"], "num2str"),
    (&["strrep", "regexprep"], "strreplace"),
    (&["linsolve", "mldivide", "lstsq"], "solve"),
    (&["eig", "eigh", "eigen"], "symeig"),
    (&["chol"], "cholesky"),
    (&["fft", "rfft"], "fft1"),
    (&["ifft", "irfft"], "ifft1"),
    (&["fftn"], "fft3"),
    (&["ifftn"], "ifft3"),
    (&["fftshift"], "fftshift2"),
    (&["ifftshift"], "ifftshift2"),
    (&["tolower", "casefold"], "lower"),
    (&["toupper"], "upper"),
    (&["str2double", "atof", "parse"], "str2num"),
    (&["strip", "trim"], "strtrim"),
    (&["join"], "strjoin"),
    (&["split"], "strsplit"),
    (&["strcmp", "isequal", "array_equal"], "=="),
    (&["strcmpi"], "lower(a) == lower(b)"),
    (&["format", "String_format"], "sprintf"),
    (&["ord"], "fromascii"),
    (&["chr", "char"], "toascii"),
    (&["meshgrid"], "ndgrid"),
    (&["randperm", "shuffle"], "sort(rand(n))"),
    (&["argsort", "sortperm"], "[_, order] = sort(x)"),
    (&["argwhere", "nonzero", "findall", "flatnonzero"], "find"),
    (&["where", "ifelse"], "x[condition] = value"),
    (&["nnz", "count_nonzero"], "sum(x != 0)"),
    (&["clip"], "clamp"),
    (&["permute", "permutedims", "swapaxes", "moveaxis"], "shuffledims"),
    (&["roll"], "circshift"),
    (&["flip"], "fliplr"),
    (&["ravel", "flatten"], "reshape(x, [numel(x)])"),
    (&["sub2ind", "ravel_multi_index"], "pos2ind"),
    (&["ind2sub", "unravel_index"], "ind2pos"),
    (&["vstack"], "vertcat"),
    (&["hstack"], "horzcat"),
    (&["append"], "[...x, value]"),
    (&["zeros_like", "similar"], "zeros(size(x))"),
    (&["ones_like"], "ones(size(x))"),
    (&["full", "fill"], "value*ones(m, n)"),
    (&["identity"], "eye"),
    (&["dot", "vdot", "inner"], "dotprod"),
    (&["mtimes"], "a*b"),
    (&["outer"], "transpose(a)*b"),
    (&["atan2f", "arctan2"], "atan2"),
    (&["arctan"], "atan"),
    (&["arcsin"], "asin"),
    (&["arccos"], "acos"),
    (&["trunc"], "fix"),
    (&["gammaln", "loggamma"], "lgamma"),
    (&["float_power"], "pow"),
    (&["bitand", "bitwise_and"], "and"),
    (&["bitor", "bitwise_or"], "or"),
    (&["bitxor", "bitwise_xor"], "xor"),
    (&["bitcmp", "bitwise_not"], "not"),
    (&["bitshift", "left_shift"], "shl"),
    (&["right_shift"], "shr"),
    (&["deg2rad"], "radians"),
    (&["rad2deg"], "degrees"),
    (&["floor_divide", "idivide", "div", "fld"], "int(a/b)"),
    (&["histogram", "imhist", "bincount", "histcounts"], "hist"),
    (&["digitize", "searchsorted"], "histc"),
    (&["isinteger", "islogical", "isnumeric"], "type(x, \"int\")"),
    (&["ischar", "iscellstr"], "isstring"),
    (&["logical"], "x != 0"),
    (&["clock", "now", "cputime", "perf_counter"], "tic"),
    (&["rng", "srand"], "seed"),
    (&["struct", "dict"], "{name := value}"),
    (&["cellfun", "arrayfun"], "for"),
    (&["cell2mat"], "[...c]"),
    (&["feval"], "f(x)"),
    (&["atomicAdd", "atomic_add"], "x[k] += v"),
    (&["atomicSub"], "x[k] -= v"),
    (&["atomicMax"], "x[k] ^^= v"),
    (&["atomicMin"], "x[k] __= v"),
    (&["atomicAnd"], "x[k] &= v"),
    (&["atomicOr"], "x[k] |= v"),
    (&["atomicXor"], "x[k] ~= v"),
    (&["atomicExch"], "x[k] <- v"),
    (&["atomicCAS"], "x[k] <- (v, expected)"),
    (&["warpSize"], "warpsize"),
    (&["__shfl_sync", "__shfl_down_sync", "__ballot_sync"], "coalesced_threads"),
    (&["conv2", "convn", "filter2", "filter2D", "convolve2d"], "imfilter"),
    (&["imgaussfilt", "gaussian", "GaussianBlur", "gaussian_blur"], "gaussian_filter"),
    (&["blur", "boxfilter", "imboxfilt", "uniform_filter"], "mean_filter"),
    (&["medfilt2", "medfilt1", "medianBlur", "median_filter", "medfilt"], "immedfilt"),
    (&["padarray", "pad", "copyMakeBorder"], "bound_extension"),
    (&["bwlabel", "bwlabeln", "bwconncomp", "connectedComponents", "label"], "label_components"),
    (&["regionprops"], "component_areas"),
    (&["bwareaopen", "remove_small_objects"], "remove_small_components"),
    (&["imfill", "binary_fill_holes"], "fill_holes"),
    (&["bwdist", "distanceTransform", "distance_transform_edt"], "distance_transform"),
    (&["graythresh", "threshold_otsu", "otsu", "otsuthresh"], "otsu_threshold"),
    (&["im2bw", "imbinarize", "threshold"], "x > otsu_threshold(x)"),
    (&["histeq", "equalizeHist", "equalize_hist"], "equalize_histogram"),
    (&["adapthisteq", "createCLAHE", "equalize_adapthist"], "clahe"),
    (&["edge", "Canny"], "canny"),
    (&["imgradient", "Sobel"], "sobel"),
    (&["hough", "HoughLines", "hough_line"], "hough_lines"),
    (&["erode", "binary_erosion", "grey_erosion"], "imerode"),
    (&["dilate", "binary_dilation", "grey_dilation"], "imdilate"),
    (&["opening", "binary_opening"], "imopen"),
    (&["closing", "binary_closing"], "imclose"),
    (&["resize", "zoom", "rescale"], "imresize"),
    (&["rotate"], "imrotate"),
    (&["warp", "remap", "warpAffine", "imtransform"], "imwarp"),
    (&["cvtColor"], "rgb2lab"),
    (&["immse", "mean_squared_error"], "mse"),
    (&["structural_similarity"], "ssim"),
    (&["peak_signal_noise_ratio"], "psnr"),
    (&["wavedec2", "dwt", "wavedec"], "dwt2"),
    (&["waverec2", "idwt", "waverec"], "idwt2"),
    (&["imcrop"], "x[a..b, c..d]"),
    (&["imcomplement"], "1 - x"),
    (&["im2double", "im2single"], "x/255"),
    (&["im2uint8"], "float_to_uint8"),
    (&["cumtrapz", "cumulative_sum"], "cumsum"),
    (&["union"], "unique([...a, ...b])"),
    (&["nthroot"], "pow(x, 1/n)"),
    (&["factorial"], "gamma(n+1)"),
    (&["Map", "Dict", "unordered_map", "HashMap"], "Hashmap"),
    (&["Set"], "Hashmap"),
    (&["deque"], "Queue"),
    (&["ArrayList"], "List"),
    (&["scanf", "readline", "fgetl"], "fgets"),
    (&["writematrix", "savetxt", "dlmwrite"], "csvwrite"),
    (&["readmatrix", "loadtxt", "genfromtxt", "dlmread"], "csvread"),
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

/// The hint for a name of another language, or of a library module that is not imported.
pub(crate) fn foreign_name(name: &str) -> Option<String> {
    let hint =
        find(NAMES, name).or_else(|| module_of(name).map(|_| format!("'{name}' is in the library")))?;
    let (_, here) = NAMES.iter().find(|(words, _)| words.contains(&name)).unwrap_or(&(&[], ""));
    let module = module_of(name).or_else(|| identifiers(here).find_map(module_of));
    Some(match module {
        Some(module) => format!("{hint}: write `import \"{module}\"` at the beginning"),
        None => hint,
    })
}

/// The names in an expression.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
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
