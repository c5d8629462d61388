//! A program that asks for devices where there is no driver, or one that is too old: it says so once, runs on the processor,
//! and ends well. Each case is a process of its own, whose drivers are hidden from it.

#[cfg(target_os = "linux")]
use linux::trials;

mod program {
    quasar::quasar!(
        r#"
function [] = __kernel__ twice(x : mat, y : mat, pos : ivec2)
    y[pos] = 2 * x[pos]
end

% Loops, launches in one place and on all devices, and a sum.
function s : scalar = work(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n] + 1
        end
    end
    z = zeros(size(x))
    {!sched gpu}
    parallel_do(size(x), y, z, twice)
    multi_parallel_do(size(x), z, y, twice)
    s = sum(y)
end

function [] = failing(x : vec'checked, n : int)
    for k = 0..n
        x[k] = 1
    end
end
"#
    );
}

/// Tells a process what it is for.
const CHILD: &str = "QUASAR_TEST_MISSING_DRIVERS";

fn main() -> std::process::ExitCode {
    match std::env::var(CHILD) {
        Ok(mode) => child(&mode),
        Err(_) => libtest_mimic::run(&libtest_mimic::Arguments::from_args(), trials()).exit_code(),
    }
}

/// What a user's program does with an error: says it, and fails.
fn child(mode: &str) -> std::process::ExitCode {
    let x = quasar::Array::from_vec(&[300, 200], vec![1.5; 60_000]).expect("as many elements");
    let result = match mode {
        "fails" => program::failing(&quasar::Array::from_vec(&[3], vec![0.0; 3]).expect("three elements"), 3),
        _ => program::work(&x).map(|sum| println!("{sum}")),
    };
    match result {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn trials() -> Vec<libtest_mimic::Trial> {
    Vec::new()
}

#[cfg(target_os = "linux")]
mod linux {
    use super::CHILD;
    use libtest_mimic::{Failed, Trial};
    use quasar_runtime::device::select;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Output};
    use std::sync::atomic::{AtomicU32, Ordering};

    const NO_DRIVER: &str = "there is no NVIDIA driver (libcuda was not found)";
    const NO_OPENCL: &str = "there is no OpenCL driver (libOpenCL was not found, or knows no platform)";
    const OLD_DRIVER: &str = "the NVIDIA driver is too old: it has no cuInit";
    const WORKED: &str = "600000\n";

    pub(super) fn trials() -> Vec<Trial> {
        let warned = |engine: &str, why: &str| {
            format!(
                "quasar: warning: setting RUNTIME_ENGINE: {engine} cannot be used, kernels run on the CPU: {why}\n"
            )
        };
        let case = |name: &str, hidden: Hidden, variable: (&'static str, &'static str), said: String| {
            Trial::test(name, move || expect(hidden, variable, "works", (true, WORKED, &said)))
        };
        let cuda = warned("cuda", NO_DRIVER);
        vec![
            case("no driver: cuda", Hidden::All, ("RUNTIME_ENGINE", "cuda"), cuda.clone()),
            case("no driver: the second GPU", Hidden::All, ("RUNTIME_ENGINE", "cuda:1"), cuda.clone()),
            case("no driver: the short variable", Hidden::All, ("QUASAR_DEVICE", "cuda"), cuda.clone()),
            case(
                "no driver: all GPUs",
                Hidden::All,
                ("RUNTIME_ENGINE", "cuda - multi"),
                warned("cuda - multi", NO_DRIVER),
            ),
            case("no driver: opencl", Hidden::All, ("RUNTIME_ENGINE", "opencl"), warned("opencl", NO_OPENCL)),
            case("no driver: nobody asks", Hidden::All, ("RUNTIME_ENGINE", "auto"), String::new()),
            case("no driver: the processor", Hidden::All, ("RUNTIME_ENGINE", "cpu"), String::new()),
            case("an old driver: cuda", Hidden::Old, ("RUNTIME_ENGINE", "cuda"), warned("cuda", OLD_DRIVER)),
            case("an old driver: nobody asks", Hidden::Old, ("RUNTIME_ENGINE", "auto"), String::new()),
            Trial::test("no driver: an error of the program stays one", move || {
                let said = format!("{cuda}error: (parallel_do) ");
                expect(Hidden::All, ("RUNTIME_ENGINE", "cuda"), "fails", (false, "", &said))
            }),
            without_compiler(),
        ]
    }

    /// With a GPU, whose compiler is hidden, and nothing compiled before.
    fn without_compiler() -> Trial {
        let missing = match select::cuda() {
            _ if cfg!(feature = "embed-ptx") => Some("this program holds PTX".to_string()),
            found => found.err().map(|unavailable| unavailable.reason),
        };
        let required = std::env::var("QUASAR_REQUIRE_DEVICES").is_ok_and(|kinds| kinds.contains("cuda"));
        let name = "no NVRTC: cuda";
        let title = missing.as_ref().map_or(name.to_string(), |missing| format!("{name} [{missing}]"));
        let run = || {
            let done = in_folder(|folder| {
                let mut command = Command::new(std::env::current_exe()?);
                command.env("QUASAR_NVRTC", "/nowhere/libnvrtc.so").env("QUASAR_CACHE_DIR", folder);
                command.env_remove("QUASAR_DEVICE").env("RUNTIME_ENGINE", "cuda").env(CHILD, "works");
                Ok(command.output()?)
            })?;
            let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
            let says = ["error: device cuda:0", "cannot compile kernel", "QUASAR_NVRTC names no NVRTC"];
            if done.status.code() == Some(1) && out.is_empty() && says.iter().all(|part| err.contains(part)) {
                return Ok(());
            }
            Err(format!("{:?}\nprinted: {out}\ncomplained: {err}", done.status).into())
        };
        Trial::test(title, run).with_ignored_flag(missing.is_some() && !required)
    }

    /// What stands where the drivers of this machine are looked for.
    #[derive(Clone, Copy)]
    enum Hidden {
        /// Files that are no libraries.
        All,
        /// For the NVIDIA driver a library without any of its functions.
        Old,
    }

    /// Files of these names are found before the system's.
    fn hide(folder: &Path, hidden: Hidden) -> Result<(), Failed> {
        let library = match hidden {
            Hidden::All => None,
            Hidden::Old => Some(loaded("libc.so").ok_or("this process has no C library")?),
        };
        let mut names: Vec<String> = ["libOpenCL.so", "libOpenCL.so.1"].map(String::from).to_vec();
        for stem in ["libcuda.so", "libnvcuda.so"] {
            names.extend(
                ["", ".1", ".9", ".10", ".11", ".12", ".13"].map(|version| format!("{stem}{version}")),
            );
        }
        for name in names {
            match library.as_ref().filter(|_| name.starts_with("libcuda")) {
                Some(library) => std::os::unix::fs::symlink(library, folder.join(name))?,
                None => std::fs::write(folder.join(name), "")?,
            }
        }
        Ok(())
    }

    /// The file of a library that this process has loaded.
    fn loaded(name: &str) -> Option<PathBuf> {
        let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
        let mut files = maps.lines().filter_map(|line| line.split_whitespace().nth(5)).map(PathBuf::from);
        files.find(|file| file.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name)))
    }

    /// Does something with a folder of its own.
    fn in_folder(work: impl FnOnce(&Path) -> Result<Output, Failed>) -> Result<Output, Failed> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("quasar-drivers-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let result = work(&folder);
        std::fs::remove_dir_all(&folder)?;
        result
    }

    /// Runs this program as a child: whether it succeeds, what it prints, and how what it complains of begins.
    fn expect(
        hidden: Hidden,
        (name, value): (&str, &str),
        mode: &str,
        (succeeds, prints, says): (bool, &str, &str),
    ) -> Result<(), Failed> {
        let done = in_folder(|folder| {
            hide(folder, hidden)?;
            let mut command = Command::new(std::env::current_exe()?);
            command.env_remove("QUASAR_DEVICE").env_remove("RUNTIME_ENGINE");
            command.env("LD_LIBRARY_PATH", folder).env("OPENCL_DYLIB_PATH", folder.join("libOpenCL.so"));
            command.env("OCL_ICD_VENDORS", folder).env(CHILD, mode).env(name, value);
            Ok(command.output()?)
        })?;
        let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        let complained = if succeeds { err == says } else { err.starts_with(says) };
        if done.status.code() == Some(i32::from(!succeeds)) && out == prints && complained {
            return Ok(());
        }
        Err(format!("{:?}\nprinted: {out}\ncomplained: {err}\nexpected: {prints}{says}", done.status).into())
    }
}
