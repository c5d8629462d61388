//! Jobs on the first CUDA device, and compilation by NVRTC, which needs no device.

use crate::job::{BLOCK, Executor, Job};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg, sys as driver};
use cudarc::nvrtc::{Ptx, result as nvrtc, sys};
use quasar_devicelib::device_text::Dialect;
use std::ffi::{CString, c_char};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

/// Whether NVRTC is there. It is looked for where the loader finds it, in `$QUASAR_NVRTC`, and where pip puts
/// `nvidia-cuda-nvrtc`.
pub(crate) fn has_nvrtc() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        folders().iter().for_each(|folder| load_from(folder));
        // SAFETY: it opens the library and looks for a symbol, which has no conditions.
        unsafe { sys::is_culib_present() }
    })
}

fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<_> = std::env::var_os("QUASAR_NVRTC").map(PathBuf::from).into_iter().collect();
    let script = "import sysconfig; print(sysconfig.get_paths()['purelib'])";
    if let Ok(output) = Command::new("python3").args(["-c", script]).output() {
        let packages = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        folders.push(packages.join("nvidia/cu13/lib"));
    }
    folders
}

/// Opens the libraries of a folder, so that they are then found by their names.
fn load_from(folder: &Path) {
    for name in ["libnvrtc-builtins.so.13.0", "libnvrtc.so.13"] {
        // SAFETY: NVIDIA's libraries have no initialisers that depend on the program.
        if let Ok(library) = unsafe { libloading::Library::new(folder.join(name)) } {
            std::mem::forget(library);
        }
    }
}

/// Compiles a complete text for a chip and gives the program, or what NVRTC says; warnings are errors.
pub(crate) fn compile(text: &str, arch: &str) -> Result<Vec<u8>, String> {
    let source = CString::new(text).map_err(|e| e.to_string())?;
    let program = nvrtc::create_program(&source, Some(c"kernel.cu")).map_err(|e| e.to_string())?;
    let options = [format!("--gpu-architecture={arch}")];
    // SAFETY: the program is a valid one until it is destroyed at the end of this function; the buffers have the sizes
    // that NVRTC tells.
    unsafe {
        let compiled = nvrtc::compile_program(program, &options);
        let log = nvrtc::get_program_log(program).unwrap_or_default();
        let log = String::from_utf8_lossy(&log.iter().map(|&c| c as u8).collect::<Vec<_>>()).into_owned();
        let mut size = 0;
        let mut image = Vec::new();
        if compiled.is_ok() && sys::nvrtcGetCUBINSize(program, &mut size).result().is_ok() {
            image.resize(size, 0_u8);
            let _ = sys::nvrtcGetCUBIN(program, image.as_mut_ptr().cast::<c_char>()).result();
        }
        let _ = nvrtc::destroy_program(program);
        if image.is_empty() || log.contains("warning") || log.contains("error") {
            return Err(log.lines().take(40).collect::<Vec<_>>().join("\n"));
        }
        Ok(image)
    }
}

/// A context of a device.
pub(crate) struct Cuda {
    context: Arc<CudaContext>,
    arch: String,
}

impl Executor for Cuda {
    const NAME: &'static str = "cuda";
    const DIALECT: Dialect = Dialect::Cuda;

    fn missing() -> Option<String> {
        // SAFETY: it opens the library and looks for a symbol, which has no conditions.
        if !unsafe { driver::is_culib_present() } {
            return Some("no CUDA driver".to_owned());
        }
        match CudaContext::device_count() {
            Ok(1..) if has_nvrtc() => None,
            Ok(1..) => Some("no NVRTC".to_owned()),
            _ => Some("no CUDA device".to_owned()),
        }
    }

    fn open() -> Result<Cuda, String> {
        if let Some(reason) = Cuda::missing() {
            return Err(reason);
        }
        let context = CudaContext::new(0).map_err(|e| e.to_string())?;
        let (major, minor) = context.compute_capability().map_err(|e| e.to_string())?;
        Ok(Cuda { context, arch: format!("sm_{major}{minor}") })
    }

    fn run(&self, text: &str, job: &Job) -> Result<Vec<Vec<u8>>, String> {
        let image = compile(text, &self.arch)?;
        let run = || {
            let kernel = self.context.load_module(Ptx::from_binary(image))?.load_function("run")?;
            let stream = self.context.default_stream();
            let mut buffers = Vec::new();
            for bytes in &job.buffers {
                buffers.push(stream.clone_htod(bytes)?);
            }
            let mut launch = stream.launch_builder(&kernel);
            for buffer in &mut buffers {
                launch.arg(buffer);
            }
            let (threads, block) = (job.threads as u32, BLOCK as u32);
            let config = LaunchConfig {
                grid_dim: (threads.div_ceil(block), 1, 1),
                block_dim: (block, 1, 1),
                shared_mem_bytes: 0,
            };
            // SAFETY: the parameters of a job's kernel are its buffers, in their order, and it stays inside of them.
            unsafe { launch.launch(config)? };
            let results =
                buffers.iter().map(|buffer| stream.clone_dtoh(buffer)).collect::<Result<Vec<Vec<u8>>, _>>();
            stream.synchronize()?;
            results
        };
        run().map_err(|e: cudarc::driver::DriverError| e.to_string())
    }
}
