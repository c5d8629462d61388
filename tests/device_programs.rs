//! Whole programs on the devices of this machine: what is copied, what happens when memory is short, where errors arrive.
//!
//! What is not there is shown as ignored; `QUASAR_REQUIRE_DEVICES=cuda` makes a missing one a failure.

use libtest_mimic::{Arguments, Trial};
use quasar::{Array, Error, context};
use quasar_runtime::device::accel_libraries::Library;
use quasar_runtime::device::{Device, Dialect, Maker, Traffic, select};
use std::sync::Arc;

mod program {
    quasar::quasar!(
        r#"
function [] = add(x : mat, y : mat, a : scalar)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = x[m,n] + a
        end
    end
end

% Twenty kernels on one image, which comes from the host and goes back to it.
function y = chain(x : mat)
    y = zeros(size(x))
    add(x, y, 1)
    for k = 1..19
        add(y, y, k)
    end
end

% Half as much again as the memory of the device, twice around.
function s : scalar = around(n : int)
    a = zeros(n, 1024)
    b = zeros(n, 1024)
    c = zeros(n, 1024)
    d = zeros(n, 1024)
    e = zeros(n, 1024)
    f = zeros(n, 1024)
    for k = 1..2
        add(f, a, 1)
        add(a, b, 1)
        add(b, c, 1)
        add(c, d, 1)
        add(d, e, 1)
        add(e, f, 1)
    end
    s = sum(a) + sum(b) + sum(c) + sum(d) + sum(e) + sum(f)
end

function [] = roots(x : mat, y : mat)
    function [] = __kernel__ kernel(x : mat'unchecked, y : mat'unchecked, pos : ivec2)
        assert(x[pos] >= 0, "negative: ", x[pos])
        y[pos] = sqrt(x[pos])
    end
    parallel_do(size(y), x, y, kernel)
end

% Each thread makes an array of so many numbers.
function y = lists(count : int, n : int)
    y = zeros(count)
    function [] = __kernel__ kernel(y : vec, n : int, pos : int)
        w = ones(n)
        w[pos..n-1] += pos
        y[pos] = sum(w)
    end
    parallel_do(count, y, n, kernel)
end

% One array on one device after the other.
function [] = around_devices(x : mat, n : int)
    {!unroll times=2; multi_device=true}
    for k = 1..n
        grow(x, k)
    end
end

function [] = grow(x : mat, a : scalar)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            x[m,n] += a
        end
    end
end

% Each image on a device of its own.
function [] = each_its_own(x : mat, y : mat, n : int)
    for k = 1..n
        {!sched gpu_index=1}
        grow(x, 1)
        {!sched gpu_index=0}
        grow(y, 2)
    end
    {!sched cpu}
    grow(y, 100)
end

function [] = roots_of_roots(x : mat, y : mat, z : mat)
    roots(x, y)
    roots(y, z)
    roots(z, y)
end

function [] = __kernel__ add_all(f : vec'hwconst, y : vec, pos : int)
    s = 0.0
    for k = 0..numel(f)-1
        s += f[k]
    end
    y[pos] += s
end

function [] = __kernel__ shift(f : vec, pos : int)
    f[pos] += 1
end

% The constants change on the device between launches.
function [] = add_changing(f : vec, y : vec, rounds : int)
    for k = 1..rounds
        parallel_do(numel(y), f, y, add_all)
        parallel_do(numel(f), f, shift)
    end
end

function [] = add_constants(f : vec, y : vec)
    parallel_do(numel(y), f, y, add_all)
end

function [] = __kernel__ scaled(x : mat, y : mat, factor : scalar, pos : ivec2)
    y[pos] = factor * x[pos]
end

function [] = __kernel__ blurred(x : mat, y : mat, pos : ivec2)
    sum = 0.0
    for dy = -2..2
        for dx = -2..2
            sum += x[pos[0] + dy, pos[1] + dx]
        end
    end
    y[pos] = sum
end

function [] = __kernel__ placed(y : mat, pos : ivec2, blkpos : ivec2, blkidx : ivec2, blkdim : ivec2, blkcnt : ivec2, this_multi_grid)
    s = shared(8, 8)
    s[blkpos] = 1
    syncthreads
    first = blkidx[0] * blkdim[0]
    y[pos] += 1000 * blkcnt[0] + 100 * blkidx[0] + (first + blkpos[0] - pos[0]) + s[0, 0] + 0.5 * int(this_multi_grid.size == 64 * blkcnt[0] * blkcnt[1])
end

function [] = __kernel__ rooted(x : mat'unchecked, y : mat'unchecked, pos : ivec2)
    assert(x[pos] >= 0, "negative: ", x[pos])
    y[pos] = sqrt(x[pos])
end

% Launches on all devices.
function [] = together(x : mat, y : mat, z : mat, places : mat)
    multi_parallel_do(size(x), x, y, 2, scaled)
    multi_parallel_do(size(x), y, z, blurred)
    multi_parallel_do(size(x), z, y, 0.5, scaled)
    multi_parallel_do([size(places), [8, 8]], places, placed)
    {!parallel for; multi_device=true}
    for m = 0..size(places,0)-1
        for n = 0..size(places,1)-1
            places[m,n] += z[m,n] * m
        end
    end
end

function [] = product_together(x : mat, w : mat, c : mat)
    {!parallel for; multi_device=true}
    for i = 0..size(x,0)-1
        for j = 0..size(w,1)-1
            s = 0.0
            for k = 0..size(x,1)-1
                s += x[i,k] * w[k,j]
            end
            c[i,j] = s
        end
    end
end

function [] = roots_together(x : mat, y : mat)
    multi_parallel_do(size(x), x, y, rooted)
end

% Which version of a kernel a device gets.
function y : vec = versions(n : int)
    function [] = __kernel__ here(y : vec, pos : int)
        {!kernel target="cpu"}
        y[pos] = 1
    end
    function [] = __kernel__ on_devices(y : vec, pos : int)
        {!kernel target="gpu"}
        y[pos] = 2
    end
    function [] = __kernel__ through_cuda(y : vec, pos : int)
        {!kernel target="nvidia_cuda"}
        y[pos] = 3
    end
    function [] = __kernel__ anywhere(y : vec, pos : int)
        y[pos] = 4
    end
    y = zeros(n)
    x = zeros(n)
    schedule(n, x, {here, on_devices})
    y[0] = x[0]
    schedule(n, x, {on_devices, here, through_cuda})
    y[1] = x[0]
    schedule(n, x, {anywhere, here})
    y[2] = x[0]
    schedule(n, x, {anywhere, through_cuda})
    y[3] = x[0]
    {!sched cpu}
    schedule(n, x, {anywhere, on_devices, here})
    y[4] = x[0]
end

% What a kernel, and what it calls, is compiled for; the last elements say what loops and launches in order get.
function y = __device__ place()
    y = $target("gpu") ? 10 : 20
end

function y : vec = code_of_target(n : int)
    function [] = __kernel__ direct(y : vec, pos : int)
        if $target("cpu")
            y[pos] = 1
        elseif $target("nvidia_cuda")
            y[pos] = 2
        elseif $target("opencl")
            y[pos] = $target("nvidia_opencl") ? 3 : $target("amd_opencl") ? 4 : 5
        endif
    end
    function [] = __kernel__ called(y : vec, pos : int)
        y[pos] = place()
    end
    function [] = __kernel__ for_gpus(y : vec, pos : int)
        {!kernel target="gpu"}
        y[pos] = $target("gpu") ? 6 : 7
    end
    function [] = __kernel__ for_processors(y : vec, pos : int)
        {!kernel target="cpu"}
        y[pos] = $target("gpu") ? 6 : 7
    end
    y = zeros(8)
    x = zeros(n)
    {!sched gpu}
    parallel_do(n, x, direct)
    y[0] = x[0]
    parallel_do(n, x, called)
    y[1] = x[0]
    parallel_do(n, x, for_gpus)
    y[2] = x[0]
    parallel_do(n, x, for_processors)
    y[3] = x[0]
    schedule(n, x, {called, for_processors})
    y[4] = x[0]
    serial_do(n, x, called)
    y[5] = x[0]
    for k = 0..n-1
        x[k] = place()
    end
    y[6] = x[0]
    y[7] = $target("cpu") + $target("gpu")
end

% Transforms, products and kernels by turns.
function y : mat = halved(x : mat)
    f = fft2(x)
    for m = 0..size(f,0)-1
        for n = 0..size(f,1)-1
            f[m,n] = 0.5 * f[m,n]
        end
    end
    y = irealfft2(f)
end

function y : mat = halved_squares(x : mat)
    h = halved(x)
    y = transpose(h) * h
end

% Columns without their mean and deviation, softmax of rows with a column beside, sorted columns, and how many elements are large.
function y : mat = normalised(x : mat)
    rows = [size(x,0), 1]
    centred = (x - repmat(mean(x, 0), rows)) ./ repmat(std(x, 0), rows)
    columns = [1, size(x,1)]
    e = exp(centred - repmat(maxdim(centred, 1), columns))
    soft = e ./ repmat(sum(e, 1), columns)
    large = soft[soft > 0.001]
    y = vertcat(horzcat(soft, centred[:,0]), repmat(mean(large), [1, size(x,1) + 1]))
    y = sort(flipud(y), 0)
end
"#
    );
}

const LIMIT_MB: usize = 48;
const TOGETHER: &str = "devices run launches together";

/// A test on all devices.
type OnAll = (&'static str, fn(&[Arc<dyn Device>]));

type Test = (&'static str, fn(&Arc<dyn Device>));

const ON_EACH: &[Test] = &[
    ("twenty kernels copy an image twice", twenty_kernels_copy_an_image_twice),
    ("more than the memory finishes", more_than_the_memory_finishes),
    ("errors arrive", errors_arrive),
    ("memory of threads ends", memory_of_threads_ends),
    ("constants are those of the launch", constants_are_those_of_the_launch),
    ("transforms and products stay there", transforms_and_products_stay_there),
    ("functions of arrays stay there", functions_of_arrays_stay_there),
    ("kernels have versions for devices", kernels_have_versions_for_devices),
    ("code asks for its target", code_asks_for_its_target),
];

fn main() {
    // Read when devices are first looked for.
    context::set("RUNTIME_GPU_MEMORYLIMIT", &LIMIT_MB.to_string()).unwrap();
    let required = std::env::var("QUASAR_REQUIRE_DEVICES").unwrap_or_default();
    let mut trials = Vec::new();
    let mut all = Vec::new();
    for (kind, devices) in [("cuda", select::cuda()), ("opencl", select::opencl())] {
        let required = required.split(',').any(|name| name == kind);
        trials.extend(ON_EACH.iter().map(|test| on(kind, &devices, test, required)));
        // Of OpenCL two: they may be the hardware of others once more.
        all.extend(devices.unwrap_or_default().into_iter().take(if kind == "cuda" { usize::MAX } else { 2 }));
    }
    let few = all.len() < 2;
    let on_all: [OnAll; 2] = [
        ("several devices share the work", several_devices_share_the_work),
        (TOGETHER, devices_run_launches_together),
    ];
    let all = Arc::new(all);
    for (title, test) in on_all {
        let title = if few { format!("{title} [there are no two devices]") } else { title.to_string() };
        let all = Arc::clone(&all);
        let run = move || {
            test(&all);
            Ok(())
        };
        trials.push(Trial::test(title, run).with_ignored_flag(few));
    }
    if few && all.iter().any(|device| device.limits().architecture.contains("PoCL")) {
        trials.push(Trial::test("opencl: the processor as two devices", once_more_with_two_devices));
    }
    // They count what devices do, so they take turns.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials).exit();
}

/// A test on the first device of a kind.
fn on(kind: &str, devices: &select::Devices, &(name, test): &Test, required: bool) -> Trial {
    match devices {
        Ok(devices) => {
            let device = Arc::clone(&devices[0]);
            Trial::test(format!("{kind}: {name}"), move || {
                context::with_device(Some(Arc::clone(&device)), || test(&device));
                Ok(())
            })
        }
        Err(reason) => {
            let (title, reason) = (format!("{kind}: {name} [{reason}]"), reason.to_string());
            Trial::test(title, move || Err(reason.into())).with_ignored_flag(!required)
        }
    }
}

/// What a device did in the meantime.
fn traffic(device: &Arc<dyn Device>, work: impl FnOnce()) -> Traffic {
    let before = device.counters().now();
    work();
    device.counters().now().since(&before)
}

fn kernels_have_versions_for_devices(device: &Arc<dyn Device>) {
    let cuda = device.dialect() == Some(Dialect::Cuda);
    let chosen = || program::versions(8).unwrap().to_vec()[..5].to_vec();
    assert_eq!(chosen(), [2.0, if cuda { 3.0 } else { 2.0 }, 4.0, if cuda { 3.0 } else { 4.0 }, 1.0]);
    let on_the_processor = context::with_device(None, chosen);
    assert_eq!(on_the_processor, [1.0, 1.0, 1.0, 4.0, 1.0]);
}

fn code_asks_for_its_target(device: &Arc<dyn Device>) {
    let answers = || program::code_of_target(1000).unwrap().to_vec();
    let direct = match (device.dialect(), device.maker()) {
        (Some(Dialect::Cuda), _) => 2.0,
        (_, Maker::Nvidia) => 3.0,
        (_, Maker::Amd) => 4.0,
        (_, Maker::Other) => 5.0,
    };
    assert_eq!(answers(), [direct, 10.0, 6.0, 7.0, 10.0, 20.0, 20.0, 0.0]);
    let on_the_processor = context::with_device(None, answers);
    assert_eq!(on_the_processor, [1.0, 20.0, 7.0, 7.0, 7.0, 20.0, 20.0, 0.0]);
}

/// All devices together: also those of two kinds that are one piece of hardware.
fn several_devices_share_the_work(devices: &[Arc<dyn Device>]) {
    let images: Vec<Array<f32>> =
        (0..8).map(|n| Array::from_vec(&[1024, 1024], vec![n as f32; 1 << 20]).unwrap()).collect();
    let before: Vec<u64> = devices.iter().map(|device| device.counters().now().launches).collect();
    context::with_devices(devices.to_vec(), || {
        let results =
            context::batch(|| images.iter().map(program::chain).collect::<quasar::Result<Vec<_>>>());
        for (n, y) in results.unwrap().iter().enumerate() {
            assert!(y.to_vec().iter().all(|&v| v == n as f32 + 191.0));
        }
        let (x, y) = (images[4].clone(), Array::from_vec(&[1024, 1024], vec![0.0; 1 << 20]).unwrap());
        program::add(&x, &y, 1.0).unwrap();
        assert_eq!(y.get(&[7, 7]).unwrap(), 5.0);
    });
    let done =
        devices.iter().zip(before).map(|(device, n)| (device.name(), device.counters().now().launches - n));
    let done: Vec<_> = done.collect();
    context::with_devices(devices[..2].to_vec(), || programs_choose_their_devices(&devices[..2]));
    // How they are divided depends on how busy the devices are; tests with pretended devices look at that.
    println!("launches: {done:?}");
    assert_eq!(done.iter().map(|(_, launches)| launches).sum::<u64>(), 8 * 20 + 1);
}

fn programs_choose_their_devices(devices: &[Arc<dyn Device>]) {
    let done = |work: &dyn Fn()| {
        let before: Vec<Traffic> = devices.iter().map(|device| device.counters().now()).collect();
        work();
        let after = devices.iter().zip(&before).map(|(device, before)| device.counters().now().since(before));
        after.collect::<Vec<_>>()
    };
    let image = || Array::from_vec(&[1024, 1024], vec![1.0; 1 << 20]).unwrap();
    let (x, y) = (image(), image());
    let traffic = done(&|| program::around_devices(&x, 9).unwrap());
    println!("one array on two devices by turns: {traffic:?}");
    assert_eq!((traffic[0].launches, traffic[1].launches), (5, 4));
    let reached = devices[0].reaches(&*devices[1]) && devices[1].reaches(&*devices[0]);
    let copies = traffic.iter().map(|one| one.peer_copies).sum::<u64>();
    let downloads = traffic.iter().map(|one| one.downloads).sum::<u64>();
    assert_eq!((copies, downloads), if reached { (8, 0) } else { (0, 8) });
    assert!(x.to_vec().iter().all(|&v| v == 46.0));
    let traffic = done(&|| program::each_its_own(&x, &y, 6).unwrap());
    assert_eq!((traffic[0].launches, traffic[1].launches), (6, 6));
    assert_eq!((x.get(&[9, 9]).unwrap(), y.get(&[9, 9]).unwrap()), (52.0, 113.0));
}

/// The devices of the first kind of which there are two.
fn devices_run_launches_together(devices: &[Arc<dyn Device>]) {
    let kind = |device: &Arc<dyn Device>| (device.dialect(), device.limits().architecture.clone());
    let alike = |first: &Arc<dyn Device>| -> Vec<_> {
        devices.iter().filter(|other| kind(other) == kind(first)).cloned().collect()
    };
    let Some(devices) = devices.iter().map(alike).find(|group| group.len() > 1) else { return };
    let (rows, columns) = (301, 203);
    let elements = || (0..rows * columns).map(|k| ((k * 37) % 101) as f32).collect();
    let run = |devices: &[Arc<dyn Device>]| {
        let x = Array::from_vec(&[rows, columns], elements()).unwrap();
        let arrays = [(); 3].map(|()| Array::from_vec(&[rows, columns], vec![1.0; rows * columns]).unwrap());
        let [y, z, places] = &arrays;
        let before: Vec<_> = devices.iter().map(|device| device.counters().now()).collect();
        let work = || (0..2).try_for_each(|_| program::together(&x, y, z, places));
        context::with_devices(devices.to_vec(), || context::batch(work)).unwrap();
        let after = devices.iter().zip(&before).map(|(device, before)| device.counters().now().since(before));
        (after.collect::<Vec<Traffic>>(), arrays.map(|array| array.to_vec()))
    };
    let (_, wanted) = run(&[]);
    let (traffic, found) = run(&devices);
    println!("{} devices together: {traffic:?}", devices.len());
    assert!(found == wanted, "the processor says something else");
    assert!(traffic.iter().all(|one| one.launches == 10), "each device has a part of each launch");
    // Tiles of blocks, of a part of the rows each.
    let product = |devices: &[Arc<dyn Device>]| {
        let x = Array::from_vec(&[rows, columns], elements()).unwrap();
        let w = Array::from_vec(&[columns, 70], (0..columns * 70).map(|k| (k % 5) as f32).collect()).unwrap();
        let c = Array::zeros(&[rows, 70]).unwrap();
        context::with_devices(devices.to_vec(), || program::product_together(&x, &w, &c)).unwrap();
        c.to_vec()
    };
    let before = devices.iter().map(|device| device.counters().now().launches).collect::<Vec<_>>();
    assert!(product(&devices) == product(&[]), "the processor has another product");
    let after = devices.iter().map(|device| device.counters().now().launches);
    assert!(
        after.zip(before).all(|(after, before)| after == before + 1),
        "each device has rows of the product"
    );
    // A value that only the last device sees.
    let x = Array::from_vec(&[rows, columns], elements()).unwrap();
    x.set(&[rows as i64 - 1, 7], -5.0).unwrap();
    let y = Array::zeros(&[rows, columns]).unwrap();
    let error = context::with_devices(devices, || program::roots_together(&x, &y)).unwrap_err();
    assert!(error.to_string().contains("negative: -5"), "{error}");
}

/// PoCL makes two devices of the processor, which have memory of their own, where it is asked to from the start.
fn once_more_with_two_devices() -> Result<(), libtest_mimic::Failed> {
    let mut command = std::process::Command::new(std::env::current_exe()?);
    let done = command.args(["--exact", TOGETHER]).env("POCL_DEVICES", "pthread pthread").output()?;
    let said = String::from_utf8_lossy(&done.stdout);
    if done.status.success() && said.contains("1 passed") {
        return Ok(());
    }
    Err(format!("{said}{}", String::from_utf8_lossy(&done.stderr)).into())
}

fn twenty_kernels_copy_an_image_twice(device: &Arc<dyn Device>) {
    let x = Array::from_vec(&[256, 512], (0..256 * 512).map(|k| k as f32).collect()).unwrap();
    let done = traffic(device, || {
        let y = program::chain(&x).unwrap();
        let y = y.to_vec();
        assert!(y.iter().enumerate().all(|(k, &v)| v == k as f32 + 191.0));
    });
    println!("{}: twenty kernels: {done:?}", device.name());
    let bytes = 256 * 512 * 4;
    assert_eq!((done.launches, done.uploads, done.downloads), (20, 1, 1));
    assert_eq!((done.uploaded_bytes, done.downloaded_bytes), (bytes, bytes));
}

fn more_than_the_memory_finishes(device: &Arc<dyn Device>) {
    // Six arrays of a quarter of the memory each.
    let rows = LIMIT_MB / 4 * 1024 / 4;
    let done = traffic(device, || {
        let sum = program::around(rows as i32).unwrap();
        // After two rounds the arrays hold 7, 8, .. 12.
        let expected = (7..=12).sum::<i32>() as f32 * (rows * 1024) as f32;
        assert!((sum - expected).abs() <= expected * 1e-5, "{sum}, not {expected}");
    });
    println!("{}: half as much again as the memory: {done:?}", device.name());
    assert!(done.evictions > 0);
    assert!(done.launches >= 12);
}

fn errors_arrive(device: &Arc<dyn Device>) {
    let matrix = |values: [f32; 4]| Array::from_vec(&[2, 2], values.to_vec()).unwrap();
    let (y, z) = (matrix([0.0; 4]), matrix([0.0; 4]));
    program::roots_of_roots(&matrix([1.0, 16.0, 81.0, 256.0]), &y, &z).unwrap();
    assert_eq!(z.to_vec(), [1.0, 2.0, 3.0, 4.0]);
    let error = program::roots_of_roots(&matrix([1.0, 16.0, -81.0, 256.0]), &y, &z).unwrap_err();
    assert!(matches!(error, Error::AssertionFailed { .. }));
    let said = error.to_string();
    assert!(said.contains("negative: -81") && said.contains("line 52"), "{}: {said}", device.name());
    let error = context::batch(|| {
        program::roots_of_roots(&matrix([1.0, 16.0, 81.0, 256.0]), &y, &z)?;
        program::roots_of_roots(&matrix([1.0, 16.0, 81.0, -256.0]), &y, &z)?;
        program::roots_of_roots(&matrix([-1.0, 16.0, 81.0, 256.0]), &y, &z)
    });
    assert!(error.unwrap_err().to_string().contains("negative: -256"));
    program::roots_of_roots(&matrix([1.0; 4]), &y, &z).unwrap();
    assert_eq!(y.to_vec(), [1.0; 4]);
}

fn memory_of_threads_ends(device: &Arc<dyn Device>) {
    let sum = |pos: usize, n: usize| (n + pos * n.saturating_sub(pos)) as f32;
    // All threads together need more than there is at once.
    for (count, n) in [(40_000, 500), (4, 8192), (100, 3), (4, 0)] {
        let y = program::lists(count, n as i32).unwrap().to_vec();
        let wrong = y.iter().enumerate().find(|(pos, found)| **found != sum(*pos, n));
        assert_eq!(wrong, None, "{}: {count} lists of {n}", device.name());
    }
    let said = program::lists(4, 8193).unwrap_err().to_string();
    let (text, line) = ("out of dynamic memory: no room for an array of size 8193", "line 62");
    assert!(said.contains(text) && said.contains(line), "{}: {said}", device.name());
    assert!(said.contains("kernel"), "{said}");
    // What a launch that failed has left behind is gone.
    assert_eq!(program::lists(40_000, 300).unwrap().get(&[39_999]).unwrap(), 300.0);
}

fn constants_are_those_of_the_launch(device: &Arc<dyn Device>) {
    let array = |count: usize, value: f32| Array::from_vec(&[count], vec![value; count]).unwrap();
    let y = array(100, 0.0);
    program::add_changing(&array(10, 0.0), &y, 50).unwrap();
    // Ten elements from 0 to 49 each.
    assert_eq!(y.to_vec(), [10.0 * (49 * 50 / 2) as f32; 100], "constants that change");
    // Threads with constants of their own launch the same kernel.
    std::thread::scope(|scope| {
        for n in 1..=3 {
            scope.spawn(move || {
                context::with_device(Some(device.clone()), || {
                    let (f, y) = (array(n, n as f32), array(1000, 0.0));
                    context::batch(|| (0..200).try_for_each(|_| program::add_constants(&f, &y))).unwrap();
                    assert_eq!(y.to_vec(), [(200 * n * n) as f32; 1000], "constants of thread {n}");
                });
            });
        }
    });
    // Enough positions that none gets a block of its own: some drivers refuse such blocks, and the processor has no limit.
    let (y, most) = (array(1000, 0.0), device.limits().constant_bytes as usize / 4);
    program::add_constants(&array(most, 1.0), &y).unwrap();
    assert_eq!(y.to_vec()[99], most as f32);
    let error = program::add_constants(&array(most + 1, 1.0), &y).unwrap_err().to_string();
    assert!(error.contains("'hwconst arrays of") && error.contains("constant memory"), "{error}");
}

fn transforms_and_products_stay_there(device: &Arc<dyn Device>) {
    let (rows, columns) = (96, 80);
    let element = |m: usize, n: usize| ((m * 31 + n * 17) % 23) as f32 - 11.0;
    let elements = (0..rows * columns).map(|k| element(k / columns, k % columns)).collect();
    let x = Array::from_vec(&[rows, columns], elements).unwrap();
    let mut y = Vec::new();
    let done = traffic(device, || y = program::halved_squares(&x).unwrap().to_vec());
    for (k, found) in y.iter().enumerate() {
        let (i, j) = (k / columns, k % columns);
        let expected: f32 = (0..rows).map(|m| element(m, i) * element(m, j) / 4.0).sum();
        assert!((found - expected).abs() < 0.01, "{i}, {j}: {found} instead of {expected}");
    }
    println!("{}: transforms, kernels, products: {done:?}", device.name());
    if [Library::Fourier, Library::Products].into_iter().all(|library| device.load_library(library)) {
        assert_eq!((done.library_calls, done.uploads, done.downloads), (3, 1, 1));
    } else {
        assert_eq!(done.library_calls, 0);
    }
}

/// An image comes, and a row of equal numbers; a number goes for the condition, one for the mean, and the result.
fn functions_of_arrays_stay_there(device: &Arc<dyn Device>) {
    let dims = [300, 200];
    let elements: Vec<f32> = (0..300 * 200).map(|k| ((k * 7919) % 1013) as f32 / 64.0).collect();
    let image = || Array::from_vec(&dims, elements.clone()).unwrap();
    let expected =
        quasar_runtime::context::with_device(None, || program::normalised(&image()).unwrap().to_vec());
    let (x, mut y) = (image(), Vec::new());
    let done = traffic(device, || y = program::normalised(&x).unwrap().to_vec());
    println!("{}: functions of arrays: {done:?}", device.name());
    assert_eq!(y.len(), expected.len());
    let worst = y.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 1e-5, "{worst}");
    assert_eq!((done.uploads, done.downloads), (2, 3));
    let (row, result) = (201 * 4, 301 * 201 * 4);
    assert_eq!(done.uploaded_bytes, 300 * 200 * 4 + row);
    // The number of elements comes with the counts before it, which are few.
    assert!(done.downloaded_bytes < result + 256, "{}", done.downloaded_bytes);
}
