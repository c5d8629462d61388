//! Where compiled kernels come from: the disk, then the compiler, then PTX in the program; on a device that only pretends.

use quasar_compiled::cache::ImageCache;
use quasar_compiled::portable::pack;
use quasar_runtime::Error;
use quasar_runtime::context;
use quasar_runtime::device::fake::{Call, FakeDevice};
use quasar_runtime::device::{Device, Dialect, KernelSource, Unavailable};
use std::path::PathBuf;

/// A folder that is removed with its contents.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("quasar-sources-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }

    fn images(&self) -> ImageCache {
        ImageCache::in_folder(&self.0, 1 << 20)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn fake() -> FakeDevice {
    let fake = FakeDevice::new(0, 1 << 10);
    fake.define("k", |_| {});
    fake
}

fn missing() -> Result<&'static str, Unavailable> {
    Err(Unavailable::new("NVRTC was not found"))
}

/// Makes a kernel; what the device did for it, with the counts of compiled and embedded ones.
fn made(device: &FakeDevice, text: &str, portable: &[u8]) -> Result<(Vec<Call>, u64, u64), Error> {
    let source =
        KernelSource { name: "kernel", dialect: Dialect::OpenCl, text, entry: "k", options: &[], portable };
    let before = device.counters().now();
    device.take_calls();
    device.kernel(&source)?;
    let done = device.counters().now().since(&before);
    Ok((device.take_calls(), done.compilations, done.embedded))
}

fn refused(device: &FakeDevice, text: &str, portable: &[u8]) -> String {
    made(device, text, portable).unwrap_err().to_string()
}

fn ptx() -> Vec<u8> {
    pack(b".version 9.0\n.target sm_75\n.visible .entry k(\n)\n{ ret; }\n\0")
}

fn compiled() -> (Vec<Call>, u64, u64) {
    (vec![Call::Compile("k".into()), Call::Load("k".into())], 1, 0)
}

fn from_disk() -> (Vec<Call>, u64, u64) {
    (vec![Call::Load("k".into())], 0, 0)
}

fn embedded() -> (Vec<Call>, u64, u64) {
    (vec![Call::Load("k".into())], 0, 1)
}

#[test]
fn the_disk_comes_first_then_the_compiler_then_the_program() {
    let folder = Folder::new("order");
    let device = fake().with_images(folder.images());
    assert_eq!(made(&device, "text", &ptx()).unwrap(), compiled());
    // Other processes, with the compiler's version known.
    let device = fake().with_images(folder.images());
    assert_eq!(made(&device, "text", &ptx()).unwrap(), from_disk());
    assert_eq!(made(&device, "other text", &ptx()).unwrap(), compiled());
    let newer = fake().with_images(folder.images()).with_compiler(Ok("2.0"));
    assert_eq!(made(&newer, "text", &ptx()).unwrap(), compiled());
    // Without a compiler nobody knows which of the images is right.
    let without = fake().with_images(folder.images()).with_compiler(missing());
    assert_eq!(made(&without, "text", &ptx()).unwrap(), embedded());
    assert_eq!(
        refused(&without, "text", &[]),
        "device fake0: cannot compile kernel 'kernel': NVRTC was not found"
    );
}

#[test]
fn the_settings_can_ask_for_what_the_program_holds() {
    let folder = Folder::new("forced");
    made(&fake().with_images(folder.images()), "text", &ptx()).unwrap();
    let device = fake().with_images(folder.images()).embedded_only();
    assert_eq!(made(&device, "text", &ptx()).unwrap(), embedded());
    assert_eq!(
        refused(&device, "text", &[]),
        "device fake0: cannot compile kernel 'kernel': the program holds no PTX for it"
    );
}

#[test]
fn a_compiler_that_fails_is_a_warning_where_the_program_holds_ptx() {
    let (device, wrong) = (fake(), "#error no such architecture");
    assert_eq!(made(&device, wrong, &ptx()).unwrap().2, 1);
    let warnings = context::warnings();
    let said = "kernel 'kernel' does not compile: no such architecture";
    assert!(warnings.iter().any(|warning| warning.to_string().contains(said)), "{warnings:?}");
    assert!(refused(&device, wrong, &[]).contains(said));
    device.lose();
    assert_eq!(refused(&device, wrong, &ptx()), "device fake0: lost");
}

#[test]
fn what_is_damaged_is_made_again_or_refused() {
    let folder = Folder::new("damaged");
    made(&fake().with_images(folder.images()), "text", &[]).unwrap();
    let file = std::fs::read_dir(&folder.0).unwrap().next().unwrap().unwrap().path();
    let key = quasar_compiled::cache::ImageKey::from_file_name(&file).unwrap();
    folder.images().store(key, b"whole, but no image");
    let device = fake().with_images(folder.images());
    assert_eq!(made(&device, "text", &ptx()).unwrap(), compiled());
    assert_eq!(made(&fake().with_images(folder.images()), "text", &[]).unwrap(), from_disk());
    let without = fake().with_compiler(missing());
    let damaged = refused(&without, "text", b"nothing that was packed");
    assert!(damaged.contains("cannot compile kernel 'kernel': the PTX that the program holds is damaged"));
    let other = refused(&without, "text", &pack(b".visible .entry other()"));
    assert!(
        other.contains("of the PTX that the program holds: device fake0: no function is defined for 'other'")
    );
}
