//! What a launch on a CUDA device costs, beside the same launches through the bare driver, and how soon a process is ready.
//!
//! `cargo bench -p quasar-runtime --bench launches`, twice: the second process finds its kernels on the disk.

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
    use cudarc::driver::sys;
    use quasar_devicelib::device_text::{self, Dialect};
    use quasar_devicelib::element::ElementType;
    use quasar_runtime::abi::{self, Arg, DeviceKernel, Form, Parameter, Site, Style};
    use quasar_runtime::array::coherence::Access;
    use quasar_runtime::context::with_device;
    use quasar_runtime::device::{Device, KernelSource, LaunchArg, LaunchConfig, cuda::nvrtc, select};
    use quasar_runtime::{Array, Result};
    use std::ffi::c_void;
    use std::ptr::null_mut;
    use std::sync::{Arc, LazyLock};
    use std::time::Instant;

    type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error>>;

    const TEXT: &str = "
Q_KERNEL void k(Q_GLOBAL const q_f32 *x, q_i32 xn, Q_GLOBAL q_f32 *y, q_i32 yn, q_f32 a, q_i32 n) {
    q_i32 i = (q_i32)(Q_BLOCK(0) * Q_BLOCK_DIM(0) + Q_THREAD(0));
    if (i < n) y[i] = a * x[i];
}";
    const RAW: &str =
        "extern \"C\" __global__ void k(const float *x, int xn, float *y, int yn, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}";
    const FORM: Form = Form {
        entry: "k",
        text: TEXT,
        portable: &[],
        style: Style::Positions,
        sites: &[],
        divisible: false,
        reads: &[],
        accumulated: &[],
        dynamic_shared: false,
        heap: false,
        tables: &[],
        results: &[],
        cost: 1,
        writes: &[],
        overwritten: &[],
        unbounded: false,
        safe: None,
        team: None,
        block: None,
        tile: None,
        iterations: &[],
        rank: 1,
        target: abi::Target::Any,
        parameters: &[
            Parameter::Array(ElementType::Single, 1),
            Parameter::Array(ElementType::Single, 1),
            Parameter::Value(4),
        ],
        seal: 0,
    };

    fn sealed(form: Form) -> DeviceKernel {
        // SAFETY: the texts below stay inside of their arrays.
        let seal = unsafe { form.signature().seal() };
        DeviceKernel::new(Form { seal, ..form })
    }

    static PLAIN: LazyLock<DeviceKernel> = LazyLock::new(|| sealed(FORM));
    static FALLIBLE: LazyLock<DeviceKernel> = LazyLock::new(|| {
        sealed(Form {
        text: "
Q_KERNEL void k(Q_GLOBAL const q_f32 *x, q_i32 xn, Q_GLOBAL q_f32 *y, q_i32 yn, q_f32 a, q_i32 n, Q_GLOBAL q_fault *fault) {
    q_i32 i = (q_i32)(Q_BLOCK(0) * Q_BLOCK_DIM(0) + Q_THREAD(0));
    if (i < n) {
        if (i >= yn) q_fail(fault, 1, 0);
        else y[i] = a * x[i];
    }
}",
        sites: &[Site { subject: "y", line: 1, message: &[] }],
        ..FORM
    })
    });
    static SUM: LazyLock<DeviceKernel> = LazyLock::new(|| {
        sealed(Form {
            text: "
Q_KERNEL void k(Q_GLOBAL const q_f32 *x, q_i32 xn, q_i32 n, Q_GLOBAL q_f32 *sums) {
    if (Q_THREAD(0) == 0) sums[Q_BLOCK(0)] = x[0];
}",
            portable: &[],
            style: Style::Walk { threads: 256, together: 1, gather: true },
            results: &[(ElementType::Single, "add")],
            parameters: &[Parameter::Array(ElementType::Single, 1)],
            ..FORM
        })
    });

    const SMALL: usize = 64;
    const CHAIN: u32 = 1000;

    /// The least and the median of some runs, in microseconds.
    fn times(mut work: impl FnMut() -> Outcome<()>) -> Outcome<(f64, f64)> {
        let mut all = Vec::new();
        for _ in 0..31 {
            let start = Instant::now();
            work()?;
            all.push(start.elapsed().as_secs_f64() * 1e6);
        }
        all.sort_by(f64::total_cmp);
        Ok((all[0], all[all.len() / 2]))
    }

    fn show(what: &str, count: u32, (least, median): (f64, f64)) {
        let count = f64::from(count);
        println!("{what:58} {:9.3} {:9.3}", median / count, least / count);
    }

    pub(super) fn run() -> Outcome<()> {
        let start = Instant::now();
        let device = select::cuda()?.remove(0);
        let found = start.elapsed();
        device.synchronize()?;
        let context = start.elapsed();
        if std::env::args().any(|argument| argument == "--steps") {
            return steps(&device);
        }
        let (x, y) = (Array::filled(&[SMALL], 2.0f32)?, Array::<f32>::zeros(&[SMALL])?);
        with_device(Some(device.clone()), || -> Outcome<()> {
            launch(&PLAIN, &x, &y)?;
            device.synchronize()?;
            let first = start.elapsed();
            assert_eq!(y.to_vec(), [3.0; SMALL]);
            let read = start.elapsed();
            let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3;
            let compiled = device.counters().now().compilations;
            println!("{}", device.name());
            println!(
                "driver found after {:.2} ms, context and stream after {:.2} ms",
                ms(found),
                ms(context)
            );
            println!(
                "first kernel done {:.2} ms after that, its result read {:.2} ms after that; {compiled} compiled",
                ms(first - context),
                ms(read - first)
            );
            println!("{:58} {:>9} {:>9}", "us a launch", "median", "least");
            if std::env::args().any(|argument| argument == "--start") {
                return Ok(());
            }
            bare(&device, &x, &y)?;
            ours(&device, &x, &y)
        })
    }

    /// What a process does until its first kernel is done, step by step.
    fn steps(device: &Arc<dyn Device>) -> Outcome<()> {
        let mut last = Instant::now();
        let mut step = |what: &str| {
            println!("{what:20} {:8.3} ms", last.elapsed().as_secs_f64() * 1e3);
            last = Instant::now();
        };
        let text = device_text::compose(Dialect::Cuda, TEXT);
        step("compose");
        let source = KernelSource {
            name: "k",
            dialect: Dialect::Cuda,
            text: &text,
            entry: "k",
            options: &[],
            portable: &[],
        };
        let kernel = device.kernel(&source)?;
        step("kernel");
        let (x, y) = (device.allocate(SMALL * 4)?, device.allocate(SMALL * 4)?);
        step("allocate");
        device.upload(&[0; SMALL * 4], &x)?;
        step("upload");
        device.fill(&y, 0)?;
        step("fill");
        let (n, a) = ((SMALL as i32).to_ne_bytes(), 1.5f32.to_ne_bytes());
        let args = [
            LaunchArg::Memory(&x),
            LaunchArg::Bytes(&n),
            LaunchArg::Memory(&y),
            LaunchArg::Bytes(&n),
            LaunchArg::Bytes(&a),
            LaunchArg::Bytes(&n),
        ];
        // SAFETY: the kernel stays inside its arguments, which are those of its parameters.
        unsafe { device.launch(&kernel, &LaunchConfig::new([1; 3], [64, 1, 1]), &args)? };
        step("launch");
        device.synchronize()?;
        step("synchronize");
        device.download(&y, &mut [0; SMALL * 4])?;
        step("download");
        device.mailbox(272)?;
        step("mailbox");
        Ok(())
    }

    fn launch(kernel: &'static DeviceKernel, x: &Array<f32>, y: &Array<f32>) -> Result<()> {
        let args = [Arg::Read(x), Arg::Write(y), Arg::number(1.5f32)];
        abi::offload(kernel, &[SMALL as i32], None, &args, "(parallel_do) k", ("main", "x.q")).map(drop)
    }

    fn ours(device: &Arc<dyn Device>, x: &Array<f32>, y: &Array<f32>) -> Outcome<()> {
        for (name, kernel) in [("cannot fail", &*PLAIN), ("can fail", &*FALLIBLE)] {
            launch(kernel, x, y)?;
            quasar_runtime::context::synchronize()?;
            let chain = |wait: bool, count: u32| {
                times(|| {
                    abi::run(|| (0..count).try_for_each(|_| launch(kernel, x, y)))?;
                    if wait { Ok(device.synchronize()?) } else { Ok(()) }
                })
            };
            show(&format!("quasar, kernel {name}: chain of {CHAIN}, all done"), CHAIN, chain(true, CHAIN)?);
            show(&format!("quasar, kernel {name}: launch and wait"), 1, chain(true, 1)?);
            let issue = issue_time(|| Ok(launch(kernel, x, y)?))?;
            show(&format!("quasar, kernel {name}: host time"), 1, issue);
        }
        show(
            "quasar, sum with its result",
            1,
            times(|| {
                let args = [Arg::Read(x)];
                abi::offload(&SUM, &[SMALL as i32], None, &args, "(parallel_do) k", ("main", "x.q"))?;
                Ok(())
            })?,
        );
        let guards = times(|| {
            for _ in 0..1000 {
                let (a, b) = (x.on_device(device, Access::Read)?, y.on_device(device, Access::Write)?);
                drop((a, b));
            }
            Ok(())
        })?;
        show("two arrays on the device already: guards", 1000, guards);
        Ok(())
    }

    /// The host's part of one launch while the queue is short: the device is idle before each.
    fn issue_time(mut launch: impl FnMut() -> Outcome<()>) -> Outcome<(f64, f64)> {
        let mut all = Vec::new();
        for _ in 0..201 {
            quasar_runtime::context::synchronize()?;
            let start = Instant::now();
            for _ in 0..16 {
                launch()?;
            }
            all.push(start.elapsed().as_secs_f64() * 1e6 / 16.0);
        }
        quasar_runtime::context::synchronize()?;
        all.sort_by(f64::total_cmp);
        Ok((all[0], all[all.len() / 2]))
    }

    fn check(status: sys::CUresult) -> Outcome<()> {
        if status == sys::CUresult::CUDA_SUCCESS { Ok(()) } else { Err(format!("{status:?}").into()) }
    }

    /// The same through the driver alone.
    fn bare(device: &Arc<dyn Device>, x: &Array<f32>, y: &Array<f32>) -> Outcome<()> {
        let architecture = device.limits().architecture.trim_start_matches("sm_").parse()?;
        let compiled = nvrtc()?.compile("k", RAW, &[], architecture)?;
        let (x, y) = (x.on_device(device, Access::Read)?, y.on_device(device, Access::Write)?);
        let (mut module, mut function, mut stream) = (null_mut(), null_mut(), null_mut());
        // SAFETY: the device made its context current on this thread; the image is a whole cubin, the name ends with a
        // zero.
        unsafe {
            check(sys::cuModuleLoadData(&raw mut module, compiled.image.as_ptr().cast()))?;
            check(sys::cuModuleGetFunction(&raw mut function, module, c"k".as_ptr()))?;
            check(sys::cuStreamCreate(&raw mut stream, 1))?;
        }
        let (x, y, n, a) = (x.id(), y.id(), SMALL as i32, 1.5f32);
        let mut args: [*mut c_void; 6] = [
            (&raw const x).cast_mut().cast(),
            (&raw const n).cast_mut().cast(),
            (&raw const y).cast_mut().cast(),
            (&raw const n).cast_mut().cast(),
            (&raw const a).cast_mut().cast(),
            (&raw const n).cast_mut().cast(),
        ];
        let list = args.as_mut_ptr();
        let mut launch = || {
            // SAFETY: the arguments are those of the kernel and live through the call.
            check(unsafe { sys::cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, stream, list, null_mut()) })
        };
        // SAFETY: the stream exists.
        let wait = || check(unsafe { sys::cuStreamSynchronize(stream) });
        launch()?;
        wait()?;
        show(
            &format!("driver: chain of {CHAIN}, all done"),
            CHAIN,
            times(|| {
                (0..CHAIN).try_for_each(|_| launch())?;
                wait()
            })?,
        );
        show("driver: launch and wait", 1, times(|| launch().and_then(|()| wait()))?);
        show("driver: host time", 1, issue_time_of(&mut launch, &wait)?);
        graph(stream, function, list, &mut launch, &wait)
    }

    fn issue_time_of(
        launch: &mut dyn FnMut() -> Outcome<()>,
        wait: &dyn Fn() -> Outcome<()>,
    ) -> Outcome<(f64, f64)> {
        let mut all = Vec::new();
        for _ in 0..201 {
            wait()?;
            let start = Instant::now();
            (0..16).try_for_each(|_| launch())?;
            all.push(start.elapsed().as_secs_f64() * 1e6 / 16.0);
        }
        wait()?;
        all.sort_by(f64::total_cmp);
        Ok((all[0], all[all.len() / 2]))
    }

    /// What graphs could gain.
    fn graph(
        stream: sys::CUstream,
        function: sys::CUfunction,
        args: *mut *mut c_void,
        launch: &mut dyn FnMut() -> Outcome<()>,
        wait: &dyn Fn() -> Outcome<()>,
    ) -> Outcome<()> {
        const NODES: u32 = 100;
        let (mut graph, mut exec) = (null_mut(), null_mut());
        // SAFETY: the stream exists, and only the launches between the two calls are recorded.
        unsafe {
            let mode = sys::CUstreamCaptureMode_enum::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
            check(sys::cuStreamBeginCapture_v2(stream, mode))?;
            (0..NODES).try_for_each(|_| launch())?;
            check(sys::cuStreamEndCapture(stream, &raw mut graph))?;
        }
        let start = Instant::now();
        // SAFETY: the graph exists.
        unsafe { check(sys::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0))? };
        println!("driver: making a graph of {NODES} kernels: {:.1} us", start.elapsed().as_secs_f64() * 1e6);
        // SAFETY: the graph is complete and its arguments are memory that lives.
        let replay = || check(unsafe { sys::cuGraphLaunch(exec, stream) });
        replay()?;
        wait()?;
        show(
            &format!("driver: graph of {NODES}, ten times, all done"),
            10 * NODES,
            times(|| {
                (0..10).try_for_each(|_| replay())?;
                wait()
            })?,
        );
        let mut nodes = vec![null_mut(); NODES as usize];
        let mut count = nodes.len();
        // SAFETY: the list has so many places.
        unsafe { check(sys::cuGraphGetNodes(graph, nodes.as_mut_ptr(), &raw mut count))? };
        let parameters = sys::CUDA_KERNEL_NODE_PARAMS_v2 {
            func: function,
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: 256,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            kernelParams: args,
            extra: null_mut(),
            kern: null_mut(),
            ctx: null_mut(),
        };
        let update = times(|| {
            nodes.iter().try_for_each(|node| {
                // SAFETY: the nodes belong to the graph; the arguments are those of the kernel.
                check(unsafe { sys::cuGraphExecKernelNodeSetParams_v2(exec, *node, &raw const parameters) })
            })
        })?;
        show("driver: setting the arguments of a node of a graph", NODES, update);
        // SAFETY: nothing uses the graph any more.
        unsafe {
            check(sys::cuGraphExecDestroy(exec))?;
            check(sys::cuGraphDestroy(graph))?;
        }
        Ok(())
    }
}
