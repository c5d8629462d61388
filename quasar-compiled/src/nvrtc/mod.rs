//! NVRTC, the runtime compiler of CUDA C++: loading the library, and compiling for one architecture.

mod search;

use crate::Unavailable;
use crate::functions;
use search::Stamp;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::sync::OnceLock;

type Program = *mut c_void;
/// The status code of an NVRTC function.
type Status = c_int;
const SUCCESS: Status = 0;

functions! { "NVRTC":
    version = "nvrtcVersion" (*mut c_int, *mut c_int);
    architecture_count = "nvrtcGetNumSupportedArchs" (*mut c_int);
    architectures = "nvrtcGetSupportedArchs" (*mut c_int);
    create = "nvrtcCreateProgram" (
        *mut Program, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char
    );
    compile = "nvrtcCompileProgram" (Program, c_int, *const *const c_char);
    destroy = "nvrtcDestroyProgram" (*mut Program);
    log_size = "nvrtcGetProgramLogSize" (Program, *mut usize);
    log = "nvrtcGetProgramLog" (Program, *mut c_char);
    cubin_size = "nvrtcGetCUBINSize" (Program, *mut usize);
    cubin = "nvrtcGetCUBIN" (Program, *mut c_char);
    ptx_size = "nvrtcGetPTXSize" (Program, *mut usize);
    ptx = "nvrtcGetPTX" (Program, *mut c_char);
}

/// The loaded compiler.
pub struct Nvrtc {
    functions: Functions,
    version: String,
    /// The supported architectures, ascending: 90 is `sm_90`.
    architectures: Vec<c_int>,
}

/// The result of a compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// Machine code, or zero-terminated PTX.
    pub image: Vec<u8>,
    /// The compiler's log.
    pub log: String,
}

/// The compiler, loaded once. That takes up to some tenths of a second.
///
/// # Errors
/// The reason why there is none.
pub fn nvrtc() -> Result<&'static Nvrtc, Unavailable> {
    slot().get_or_init(Nvrtc::load).as_ref().map_err(Clone::clone)
}

fn slot() -> &'static OnceLock<Result<Nvrtc, Unavailable>> {
    static NVRTC: OnceLock<Result<Nvrtc, Unavailable>> = OnceLock::new();
    &NVRTC
}

/// The version of the compiler. Does not load it if its file has not changed since its version was noted in `folder`.
///
/// # Errors
/// The reason why there is no compiler.
pub fn version(folder: Option<&Path>) -> Result<String, Unavailable> {
    if let Some(Ok(loaded)) = slot().get() {
        return Ok(loaded.version.clone());
    }
    let noted = folder.and_then(Stamp::read);
    if let Some(stamp) = &noted
        && stamp.is_current()
    {
        return Ok(stamp.version.clone());
    }
    match (nvrtc(), noted) {
        (Ok(loaded), _) => {
            if let (Some(folder), Some(stamp)) = (folder, Stamp::of_loaded(&loaded.version)) {
                stamp.write(folder);
            }
            Ok(loaded.version.clone())
        }
        // Images from the time when the compiler was available remain valid.
        (Err(_), Some(stamp)) => Ok(stamp.version),
        (Err(unavailable), None) => Err(unavailable),
    }
}

impl Nvrtc {
    fn load() -> Result<Nvrtc, Unavailable> {
        let functions = Functions::load(search::library()?)?;
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: each function writes the integers that it is given.
        let status = unsafe {
            (functions.version)(&raw mut major, &raw mut minor)
                .max((functions.architecture_count)(&raw mut count))
        };
        let mut architectures = vec![0; usize::try_from(count).unwrap_or(0)];
        if status != SUCCESS || architectures.is_empty() {
            return Err(Unavailable::new("NVRTC does not say its version"));
        }
        // SAFETY: the function writes as many integers as the other one returned.
        let status = unsafe { (functions.architectures)(architectures.as_mut_ptr()) };
        if status != SUCCESS {
            return Err(Unavailable::new("NVRTC does not say its architectures"));
        }
        architectures.sort_unstable();
        Ok(Nvrtc { functions, version: format!("{major}.{minor}"), architectures })
    }

    /// The version, such as `13.0`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The supported architectures, ascending: 90 is `sm_90`.
    pub fn architectures(&self) -> &[c_int] {
        &self.architectures
    }

    /// Compiles a text for an architecture: to machine code if the compiler supports the architecture, otherwise to PTX
    /// for the newest older one, which the driver compiles further.
    ///
    /// # Errors
    /// The compiler's messages.
    pub fn compile(
        &self,
        name: &str,
        text: &str,
        options: &[&str],
        architecture: c_int,
    ) -> Result<Compiled, String> {
        let exact = self.architectures.contains(&architecture);
        let nearest = self.architectures.iter().copied().rfind(|&known| known <= architecture);
        let target = match nearest {
            Some(known) if exact => format!("--gpu-architecture=sm_{known}"),
            Some(known) => format!("--gpu-architecture=compute_{known}"),
            None => {
                let version = &self.version;
                return Err(format!(
                    "NVRTC {version} does not know the old architecture {architecture} any more"
                ));
            }
        };
        self.make(name, text, options, &target, exact)
    }

    /// Compiles a text to PTX for GPUs of this architecture or newer.
    ///
    /// # Errors
    /// The compiler's messages, or an unsupported architecture.
    pub fn ptx(&self, name: &str, text: &str, architecture: c_int) -> Result<Compiled, String> {
        if !self.architectures.contains(&architecture) {
            let known: Vec<String> = self.architectures.iter().map(c_int::to_string).collect();
            let (version, known) = (&self.version, known.join(", "));
            return Err(format!(
                "NVRTC {version} does not know the architecture {architecture}, but {known}"
            ));
        }
        self.make(name, text, &[], &format!("--gpu-architecture=compute_{architecture}"), false)
    }

    fn make(
        &self,
        name: &str,
        text: &str,
        options: &[&str],
        target: &str,
        machine_code: bool,
    ) -> Result<Compiled, String> {
        let all = ["--std=c++17", target].into_iter().chain(options.iter().copied());
        let program = LoadedProgram::new(self, name, text)?;
        let (status, log) = program.compile(all)?;
        if status != SUCCESS {
            return Err(format!("kernel '{name}' does not compile: {log}"));
        }
        let functions = &self.functions;
        let image = if machine_code {
            program.bytes(functions.cubin_size, functions.cubin)
        } else {
            program.bytes(functions.ptx_size, functions.ptx)
        };
        match image {
            Some(image) if !image.is_empty() => Ok(Compiled { image, log }),
            _ => Err(format!("kernel '{name}' was compiled to nothing")),
        }
    }
}

/// A program in the compiler.
struct LoadedProgram<'a> {
    nvrtc: &'a Nvrtc,
    program: Program,
}

impl LoadedProgram<'_> {
    fn new<'a>(nvrtc: &'a Nvrtc, name: &str, text: &str) -> Result<LoadedProgram<'a>, String> {
        let text = terminated(text)?;
        let file = terminated(&format!("{name}.cu"))?;
        let mut program = std::ptr::null_mut();
        // SAFETY: both strings end with a zero and live until the call returns, which copies them; there are no
        // headers.
        let status = unsafe {
            let none = std::ptr::null();
            (nvrtc.functions.create)(&raw mut program, text.as_ptr(), file.as_ptr(), 0, none, none)
        };
        if status != SUCCESS {
            return Err(format!("NVRTC cannot take the text of kernel '{name}' (error {status})"));
        }
        Ok(LoadedProgram { nvrtc, program })
    }

    fn compile<'b>(&self, options: impl Iterator<Item = &'b str>) -> Result<(Status, String), String> {
        let options: Vec<CString> = options.map(terminated).collect::<Result<_, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(c_int::MAX);
        // SAFETY: the program exists; there are as many strings as the count, which live until the call returns.
        let status = unsafe { (self.nvrtc.functions.compile)(self.program, count, pointers.as_ptr()) };
        let functions = &self.nvrtc.functions;
        let log = self.bytes(functions.log_size, functions.log).unwrap_or_default();
        let log = CStr::from_bytes_until_nul(&log).map(CStr::to_string_lossy).unwrap_or_default();
        Ok((status, log.trim_end().to_string()))
    }

    /// Retrieves a buffer whose size one function returns and another fills.
    fn bytes(
        &self,
        size: unsafe extern "C" fn(Program, *mut usize) -> Status,
        write: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    ) -> Option<Vec<u8>> {
        let mut count = 0;
        // SAFETY: the program exists; the function writes one number.
        if unsafe { size(self.program, &raw mut count) } != SUCCESS {
            return None;
        }
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(count).ok()?;
        bytes.resize(count, 0_u8);
        // SAFETY: the function writes as many bytes as the other one returned.
        (unsafe { write(self.program, bytes.as_mut_ptr().cast()) } == SUCCESS).then_some(bytes)
    }
}

impl Drop for LoadedProgram<'_> {
    fn drop(&mut self) {
        // SAFETY: the program was created by `new` and is destroyed only here.
        unsafe { (self.nvrtc.functions.destroy)(&raw mut self.program) };
    }
}

/// A zero-terminated string.
fn terminated(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| "a text contains a zero byte".into())
}
