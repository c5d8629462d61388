//! Programs that hold PTX: `cargo test --features embed-ptx --test embedded_ptx`.
//!
//! What is not there, NVRTC when this was built or a GPU, is shown as ignored; `QUASAR_REQUIRE_DEVICES=cuda` makes a missing
//! GPU a failure.

use libtest_mimic::{Arguments, Failed, Trial};
use quasar::{Array, context};
use quasar_runtime::device::fake::{Call, FakeDevice};
use quasar_runtime::device::{Device, Unavailable, select};
use std::process::Command;
use std::sync::Arc;

mod program {
    quasar::quasar!(
        r#"
function [] = __kernel__ add_two(x : vec, pos : int)
    x[pos] += 2
end

function [] = raise(x : vec)
    parallel_do(numel(x), x, add_two)
end

% A sum of each block, tables in shared memory, constants, windows, errors, and double precision.
function s : scalar = total(x : mat)
    s = sum(x .^ 2)
end

function y : vec = histogram(x : mat)
    y = zeros(16)
    {!parallel for}
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[int(x[m,n])] += 1
        end
    end
end

function [] = __kernel__ weigh(f : vec'hwconst, x : mat'mirror, y : mat, pos : ivec2)
    s = 0.0
    for k = 0..numel(f)-1
        s += f[k] * x[pos[0] + k - 1, pos[1]]
    end
    y[pos] = s
end

function y : mat = weighted(f : vec, x : mat)
    y = zeros(size(x))
    parallel_do(size(x), f, x, y, weigh)
end

function [] = __kernel__ root(x : mat, pos : ivec2)
    assert(x[pos] >= 0, "negative: ", x[pos])
    x[pos] = sqrt(x[pos])
end

function [] = roots(x : mat)
    parallel_do(size(x), x, root)
end
"#
    );
}

/// Says to a process started by [`on_gpu`] what it is for.
const CHILD: &str = "QUASAR_TEST_EMBEDDED_PTX";

fn main() {
    if let Ok(mode) = std::env::var(CHILD) {
        return child(&mode);
    }
    let embedded = embeds();
    let required = std::env::var("QUASAR_REQUIRE_DEVICES").is_ok_and(|kinds| kinds.contains("cuda"));
    let gpu = select::cuda().err().map(|unavailable| unavailable.reason);
    let trial = |name: &str, needs_gpu: bool, run: fn() -> Result<(), Failed>| {
        let missing = match &gpu {
            _ if !embedded => Some("built without NVRTC"),
            Some(reason) if needs_gpu => Some(reason.as_str()),
            _ => None,
        };
        let title = missing.map_or(name.to_string(), |missing| format!("{name} [{missing}]"));
        let ignored = missing.is_some() && !(needs_gpu && required);
        Trial::test(title, run).with_ignored_flag(ignored)
    };
    let trials = vec![
        trial("a device without a compiler gets the PTX", false, without_compiler),
        trial("a device with a compiler uses it", false, with_compiler),
        trial("cuda: no NVRTC, embedded PTX", true, || on_gpu("missing")),
        trial("cuda: embedded PTX although there is NVRTC", true, || on_gpu("forced")),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// A device that adds two where a kernel of this entry is launched.
fn fake(entry: &'static str) -> FakeDevice {
    let fake = FakeDevice::new(0, 1 << 20);
    fake.define(entry, |launch| {
        for value in launch.memory(0).chunks_exact_mut(4) {
            let old = f32::from_ne_bytes(value.try_into().unwrap_or_default());
            value.copy_from_slice(&(old + 2.0).to_ne_bytes());
        }
    });
    fake
}

/// Whether the macro found NVRTC: then a device with nothing but PTX has something to load.
fn embeds() -> bool {
    let fake = fake("other").embedded_only();
    let x = Array::from_vec(&[1], vec![0.0]).unwrap();
    let raised = context::with_device(Some(Arc::new(fake)), || program::raise(&x));
    let error = raised.unwrap_err().to_string();
    assert_eq!(x.to_vec(), [0.0]);
    !error.contains("the program holds no PTX for it")
}

fn raised(device: FakeDevice) -> (Vec<f32>, Vec<Call>, quasar_runtime::device::Traffic) {
    let device = Arc::new(device);
    let x = Array::from_vec(&[3], vec![1.0, 2.0, 3.0]).unwrap();
    context::with_device(Some(device.clone()), || program::raise(&x)).unwrap();
    let x = x.to_vec();
    (x, device.take_calls(), device.counters().now())
}

/// The name of the entry is that in the PTX, which the device looks for.
const ENTRY: &str = "k_add_two";

fn without_compiler() -> Result<(), Failed> {
    let (x, calls, traffic) = raised(fake(ENTRY).with_compiler(Err(Unavailable::new("nowhere"))));
    assert_eq!(x, [3.0, 4.0, 5.0]);
    assert!(calls.contains(&Call::Load(ENTRY.into())) && !calls.contains(&Call::Compile(ENTRY.into())));
    assert_eq!((traffic.embedded, traffic.compilations), (1, 0));
    Ok(())
}

fn with_compiler() -> Result<(), Failed> {
    let (x, calls, traffic) = raised(fake(ENTRY));
    assert_eq!(x, [3.0, 4.0, 5.0]);
    assert!(calls.contains(&Call::Compile(ENTRY.into())));
    assert_eq!((traffic.embedded, traffic.compilations), (0, 1));
    Ok(())
}

/// Runs this program again where NVRTC is `missing`, or where PTX is `forced`, with nothing on disk.
fn on_gpu(mode: &str) -> Result<(), Failed> {
    let folder = std::env::temp_dir().join(format!("quasar-embedded-{mode}-{}", std::process::id()));
    let mut command = Command::new(std::env::current_exe()?);
    command.env(CHILD, mode).env("QUASAR_CACHE_DIR", &folder).env("QUASAR_DEVICE", "cuda");
    match mode {
        "missing" => command.env("QUASAR_NVRTC", "/nowhere/libnvrtc.so"),
        _ => command.env("RUNTIME_CUDA_EMBEDDEDPTX", "True"),
    };
    let output = command.output()?;
    let _ = std::fs::remove_dir_all(&folder);
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    println!("{mode}: {said}");
    assert!(output.status.success() && said.contains("all of embedded PTX"), "{said}{errors}");
    Ok(())
}

fn child(mode: &str) {
    let device = select::cuda().unwrap().remove(0);
    let before = std::time::Instant::now();
    let vector = Array::from_vec(&[1000], (0..1000).map(|k| k as f32).collect()).unwrap();
    program::raise(&vector).unwrap();
    assert!(vector.to_vec().iter().enumerate().all(|(k, &v)| v == k as f32 + 2.0));
    let image: Vec<f32> = (0..512 * 512).map(|k| (k % 16) as f32).collect();
    let x = Array::from_vec(&[512, 512], image).unwrap();
    let squares = (0..16).map(|k| k * k).sum::<i32>() as f32 * (512 * 512 / 16) as f32;
    assert!((program::total(&x).unwrap() - squares).abs() <= squares * 1e-5);
    assert_eq!(program::histogram(&x).unwrap().to_vec(), [(512 * 512 / 16) as f32; 16]);
    let weights = Array::from_vec(&[3], vec![1.0, 2.0, 3.0]).unwrap();
    let y = program::weighted(&weights, &x).unwrap().to_vec();
    // All rows are the same.
    assert!(y.iter().enumerate().all(|(k, &v)| v == 6.0 * (k % 16) as f32));
    program::roots(&x).unwrap();
    x.set(&[3, 4], -81.0).unwrap();
    let error = program::roots(&x).unwrap_err().to_string();
    assert!(error.contains("negative: -81"), "{error}");
    let traffic = device.counters().now();
    assert_eq!(traffic.compilations, 0);
    assert!(traffic.embedded >= 5 && traffic.launches >= 5, "{traffic:?}");
    if mode == "missing" {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        assert!(!maps.contains("libnvrtc.so"));
    }
    let milliseconds = before.elapsed().as_secs_f64() * 1e3;
    println!("{} kernels, all of embedded PTX, in {milliseconds:.0} ms with the runs", traffic.embedded);
}
