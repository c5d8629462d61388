//! Images that come from the host, are filtered and go back, on a CUDA device: how far copies and kernels overlap.
//!
//! `cargo bench -p quasar-runtime --bench pipeline`. The parts are measured one by one; then the whole in three orders: with a
//! wait after each step, all images submitted before the first result is read, and each result read after the next image was
//! submitted. Every result is checked.

use std::process::ExitCode;

#[cfg(not(feature = "cuda"))]
fn main() -> ExitCode {
    println!("built without the feature 'cuda'");
    ExitCode::SUCCESS
}

#[cfg(feature = "cuda")]
fn main() -> ExitCode {
    match cuda::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(feature = "cuda")]
mod cuda {
    use quasar_runtime::array::coherence::Access;
    use quasar_runtime::device::{
        Device, Dialect, KernelHandle, KernelSource, LaunchArg, LaunchConfig, select,
    };
    use quasar_runtime::{Array, Result};
    use std::sync::Arc;
    use std::time::Instant;

    type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error>>;

    const TEXT: &str = r#"
extern "C" __global__ void filter(const float* x, float* y, int n, int rounds) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = x[i];
        for (int k = 0; k < rounds; k++) v = v * 0.5f + 1.0f;
        y[i] = v;
    }
}"#;
    const ROUNDS: usize = 9;

    struct Filter {
        device: Arc<dyn Device>,
        kernel: KernelHandle,
        images: Vec<Array<f32>>,
        rounds: i32,
        blocks: u32,
    }

    impl Filter {
        fn of(&self, x: &Array<f32>) -> Result<Array<f32>> {
            let y = Array::uninit(&[x.len()])?;
            let from = x.on_device(&self.device, Access::Read)?;
            let to = y.on_device(&self.device, Access::Overwrite)?;
            let n = i32::try_from(x.len()).unwrap_or(0).to_ne_bytes();
            let rounds = self.rounds.to_ne_bytes();
            let args = [
                LaunchArg::Input(&from),
                LaunchArg::Memory(&to),
                LaunchArg::Bytes(&n),
                LaunchArg::Bytes(&rounds),
            ];
            let config = LaunchConfig::new([self.blocks, 1, 1], [256, 1, 1]);
            // SAFETY: the kernel stays inside `n` elements, which both arrays have.
            unsafe { self.device.launch(&self.kernel, &config, &args) }?;
            drop((from, to));
            Ok(y)
        }

        /// What elements become.
        fn check(&self, k: usize, y: &Array<f32>) {
            let mut wanted = k as f32;
            (0..self.rounds).for_each(|_| wanted = wanted * 0.5 + 1.0);
            let y = y.read();
            let places = [0, y.len() / 2, y.len() - 1];
            let close = places.iter().all(|&i| (y[i] - wanted).abs() <= 1e-5 * wanted.abs());
            assert!(close, "image {k}: {:?}, not {wanted}", places.map(|i| y[i]));
        }

        /// The images are on the host only.
        fn at_home(&self) {
            self.images.iter().for_each(|x| drop(x.write()));
        }

        fn wait(&self) -> Result<()> {
            self.device.synchronize()
        }

        /// The median of some rounds in milliseconds, each after `prepare`.
        fn time<P>(&self, prepare: impl Fn() -> Result<P>, work: impl Fn(P) -> Result<()>) -> Outcome<f64> {
            let mut times = Vec::new();
            for _ in 0..ROUNDS + 2 {
                let prepared = prepare()?;
                self.wait()?;
                let start = Instant::now();
                work(prepared)?;
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
            let times = &mut times[2..];
            times.sort_by(f64::total_cmp);
            Ok(times[ROUNDS / 2])
        }

        fn parts(&self) -> Outcome<[f64; 3]> {
            let home = || {
                self.at_home();
                Ok(())
            };
            let up = self.time(home, |()| {
                self.images.iter().try_for_each(|x| x.on_device(&self.device, Access::Read).map(drop))?;
                self.wait()
            })?;
            let all = || self.images.iter().map(|x| self.of(x)).collect::<Result<Vec<_>>>();
            let work = self.time(
                || Ok(()),
                |()| {
                    let results = all()?;
                    self.wait()?;
                    drop(results);
                    Ok(())
                },
            )?;
            let down = self.time(all, |results| {
                results.iter().for_each(|y| drop(y.read()));
                Ok(())
            })?;
            Ok([up, work, down])
        }

        /// Image after image: with waits, results at the end, results one behind.
        fn whole(&self) -> Outcome<[f64; 3]> {
            let home = || {
                self.at_home();
                Ok(())
            };
            let images = || self.images.iter().enumerate();
            let serial = self.time(home, |()| {
                images().try_for_each(|(k, x)| {
                    drop(x.on_device(&self.device, Access::Read)?);
                    self.wait()?;
                    let y = self.of(x)?;
                    self.wait()?;
                    self.check(k, &y);
                    Ok(())
                })
            })?;
            let end = self.time(home, |()| {
                let results = self.images.iter().map(|x| self.of(x)).collect::<Result<Vec<_>>>()?;
                results.iter().enumerate().for_each(|(k, y)| self.check(k, y));
                Ok(())
            })?;
            let behind = self.time(home, |()| {
                let mut last: Option<(usize, Array<f32>)> = None;
                for (k, x) in images() {
                    if let Some((k, y)) = last.replace((k, self.of(x)?)) {
                        self.check(k, &y);
                    }
                }
                last.iter().for_each(|(k, y)| self.check(*k, y));
                Ok(())
            })?;
            Ok([serial, end, behind])
        }
    }

    pub(super) fn run() -> Outcome<()> {
        let device = select::cuda()?.remove(0);
        let source = KernelSource {
            name: "filter",
            dialect: Dialect::Cuda,
            text: TEXT,
            entry: "filter",
            options: &[],
            portable: &[],
        };
        let kernel = device.kernel(&source)?;
        println!("{}, milliseconds of all images", device.name());
        println!(
            "{:32} {:>8} {:>8} {:>8} | {:>8} {:>8} {:>8} {:>6}",
            "images, rounds of the kernel", "up", "kernels", "down", "waiting", "at end", "behind", "gain"
        );
        let blocks = device.limits().multiprocessors * 8;
        for (count, megabytes) in [(8_usize, 16_usize), (32, 1)] {
            let image = |k| Array::filled(&[megabytes << 18], k as f32);
            let images = (0..count).map(image).collect::<Result<Vec<_>>>()?;
            let mut filter =
                Filter { device: device.clone(), kernel: kernel.clone(), images, rounds: 1, blocks };
            for rounds in [1, 5000, 20_000] {
                filter.rounds = rounds;
                let ([up, work, down], [serial, end, behind]) = (filter.parts()?, filter.whole()?);
                println!(
                    "{:32} {up:8.3} {work:8.3} {down:8.3} | {serial:8.3} {end:8.3} {behind:8.3} {:6.2}",
                    format!("{count} of {megabytes} MB, {rounds}"),
                    serial / end.min(behind)
                );
            }
        }
        early(&device, &kernel)
    }

    /// How soon a result is there while kernels that came later are under way.
    fn early(device: &Arc<dyn Device>, kernel: &KernelHandle) -> Outcome<()> {
        let x = Array::filled(&[4 << 20], 3.0_f32)?;
        let small = Array::filled(&[1000], 3.0_f32)?;
        let blocks = device.limits().multiprocessors * 8;
        let mut filter =
            Filter { device: device.clone(), kernel: kernel.clone(), images: vec![], rounds: 20_000, blocks };
        let later = filter.time(
            || Ok(()),
            |()| (0..8).try_for_each(|_| filter.of(&x).map(drop)).and_then(|()| filter.wait()),
        )?;
        filter.rounds = 20_000;
        let time = filter.time(
            || Ok(()),
            |()| {
                let y = filter.of(&small)?;
                (0..8).try_for_each(|_| filter.of(&x).map(drop))?;
                filter.check(3, &y);
                Ok(())
            },
        )?;
        println!("a small result before eight kernels of {later:.3} ms: {time:.3}");
        Ok(())
    }
}
