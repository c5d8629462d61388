//! Programs over arrays in folders, with less memory than these need: the same numbers as in memory, within the budget.

use quasar::{Array, Value, context, store};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

quasar::quasar! {
    function [] = blurred(x : mat, y : mat)
        M = size(x,0)
        t = zeros(M, size(x,1))
        for m=0..M-1
            for n=0..size(x,1)-1
                t[m,n] = (x[max(m-1,0),n] + x[m,n] + x[min(m+1,M-1),n]) / 3
            end
        end
        for m=0..M-1
            for n=0..size(x,1)-1
                y[m,n] = t[m,n] - x[m,n]/2
            end
        end
    end

    function y = summed(x : mat)
        y = 0
        for m=0..size(x,0)-1
            for n=0..size(x,1)-1
                y += int(x[m,n])
            end
        end
    end

    function h = histogram(x : mat)
        h = zeros(16)
        for m=0..size(x,0)-1
            for n=0..size(x,1)-1
                h[int(x[m,n])] += 1.0
            end
        end
    end

    function [] = border_and_middle(x : mat, y : mat)
        for m=2..size(x,0)-5
            for n=1..size(x,1)-2
                y[m,n] = x[m-2,n-1] + 2*x[m+4,n+1]
            end
        end
    end

    function [] = turned(x : mat 'circular, y : mat 'unchecked)
        for m=0..size(y,0)-1
            for n=0..size(y,1)-1
                y[m,n] = x[m-3,n+1] * 2
            end
        end
    end

    function [] = along(x : vec, y : vec)
        for k=0..numel(x)-1
            y[k] = x[max(k-1,0)] + x[min(k+1,numel(x)-1)]
        end
    end

    function [] = of_cubes(x : cube, y : cube)
        for m=0..size(x,0)-1
            for n=0..size(x,1)-1
                for c=0..size(x,2)-1
                    y[m,n,c] = x[min(m+1,size(x,0)-1),n,c] - x[m,n,0]
                end
            end
        end
    end

    function [] = half_of_it(x : mat, y : mat)
        for m=0..size(x,0)-1
            for n=0..size(x,1)-1
                assert(m < 400, "too far")
                y[m,n] = x[m,n] + 1
            end
        end
    end

    function [] = by_rows_from_data(x : mat, y : mat)
        for m=0..size(y,0)-1
            for n=0..size(y,1)-1
                y[m,n] = x[mod(int(x[m,n])*7, size(x,0)),n]
            end
        end
    end

    function [] = in_place(y : mat)
        for m=0..size(y,0)-1
            for n=0..size(y,1)-1
                y[m,n] = y[m,n] * 3 + m
            end
        end
    end
}

/// The budget is that of the process: one test at a time.
fn alone(megabytes: u64) -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    context::set("RUNTIME_STORE_BUDGET", &megabytes.to_string()).unwrap();
    guard
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("larger-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn create(&self, name: &str, dims: &[usize], chunks: Option<&[usize]>) -> Array<f32> {
        let chunks = chunks.map(<[usize]>::to_vec);
        let new = store::NewArray {
            element: quasar::ElementType::Single,
            dims: dims.to_vec(),
            chunks,
            gzip: false,
        };
        store::create(&self.0.join(name), &new).unwrap().try_into().unwrap()
    }

    fn open(&self, name: &str) -> Array<f32> {
        let value: Value = store::open(&self.0.join(name)).unwrap();
        value.try_into().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const ROWS: usize = 700;
const COLUMNS: usize = 1024;

fn image() -> Vec<f32> {
    (0..ROWS * COLUMNS).map(|k| ((k.wrapping_mul(2_654_435_761) >> 13) % 16) as f32).collect()
}

/// The image in memory and in a folder.
fn images(folder: &Folder, chunks: Option<&[usize]>) -> (Array<f32>, Array<f32>) {
    let here = Array::from_vec(&[ROWS, COLUMNS], image()).unwrap();
    let budget = context::settings().number("RUNTIME_STORE_BUDGET");
    context::set("RUNTIME_STORE_BUDGET", "64").unwrap();
    let made = folder.create("x", &[ROWS, COLUMNS], chunks);
    made.write().copy_from_slice(&here.read());
    store::flush().unwrap();
    drop(made);
    context::set("RUNTIME_STORE_BUDGET", &budget.to_string()).unwrap();
    (here, folder.open("x"))
}

/// All elements, where there is memory for them.
fn elements(array: &Array<f32>) -> Vec<f32> {
    let budget = context::settings().number("RUNTIME_STORE_BUDGET");
    context::set("RUNTIME_STORE_BUDGET", "64").unwrap();
    let found = array.to_vec();
    context::set("RUNTIME_STORE_BUDGET", &budget.to_string()).unwrap();
    found
}

type Filter = fn(&Array<f32>, &Array<f32>) -> quasar::Result<()>;

#[test]
fn strips_give_what_memory_gives() {
    for (budget, chunks) in [
        (6, None),
        (1, Some(&[37, 100][..])),
        (1, Some(&[1, 1024])),
        (2, Some(&[256, 64])),
        (1, Some(&[13, 2000])),
    ] {
        let _alone = alone(budget);
        let folder = Folder::new("strips");
        let (here, stored) = images(&folder, chunks);
        for (name, filter) in [
            ("blurred", blurred as Filter),
            ("border", border_and_middle as Filter),
            ("turned", turned as Filter),
        ] {
            let expected = Array::zeros(&[ROWS, COLUMNS]).unwrap();
            filter(&here, &expected).unwrap();
            let y = folder.create(name, &[ROWS, COLUMNS], chunks);
            filter(&stored, &y).unwrap();
            assert!(elements(&y) == elements(&expected), "{name} {chunks:?}");
            // What somebody reads who knows nothing of it.
            assert!(elements(&folder.open(name)) == elements(&expected), "{name} {chunks:?}");
        }
        assert_eq!(summed(&stored).unwrap(), summed(&here).unwrap());
        assert_eq!(histogram(&stored).unwrap().to_vec(), histogram(&here).unwrap().to_vec());
    }
}

#[test]
fn vectors_and_cubes_go_by_strips_as_well() {
    let _alone = alone(1);
    let folder = Folder::new("ranks");
    let (here, stored) = images(&folder, Some(&[7, 1024]));
    let count = ROWS * COLUMNS;
    let (vector, cube) = (here.reshape(&[count]).unwrap(), here.reshape(&[ROWS, 256, 4]).unwrap());
    // The same elements with other extents.
    let (flat, deep) = (stored.reshape(&[count]).unwrap(), stored.reshape(&[ROWS, 256, 4]).unwrap());
    let expected = Array::zeros(&[count]).unwrap();
    along(&vector, &expected).unwrap();
    let y = folder.create("y", &[count], Some(&[5000]));
    along(&flat, &y).unwrap();
    assert!(elements(&y) == elements(&expected));
    let expected = Array::zeros(&[ROWS, 256, 4]).unwrap();
    of_cubes(&cube, &expected).unwrap();
    let y = folder.create("z", &[ROWS, 256, 4], Some(&[3, 100, 4]));
    of_cubes(&deep, &y).unwrap();
    assert!(elements(&y) == elements(&expected));
}

#[test]
fn an_error_of_a_position_is_one_of_the_launch() {
    let _alone = alone(1);
    let folder = Folder::new("error");
    let (_, stored) = images(&folder, Some(&[7, 1024]));
    let y = folder.create("y", &[ROWS, COLUMNS], Some(&[7, 1024]));
    let error = half_of_it(&stored, &y).unwrap_err().to_string();
    assert!(error.contains("too far"), "{error}");
    assert_eq!(y.get(&[100, 5]).unwrap(), stored.get(&[100, 5]).unwrap() + 1.0);
    assert!(store::open(&folder.0.join("y")).is_err() || y.get(&[699, 0]).unwrap() == 0.0);
}

#[test]
fn arrays_are_changed_in_place() {
    let _alone = alone(1);
    let folder = Folder::new("place");
    let expected = Array::zeros(&[ROWS, COLUMNS]).unwrap();
    let y = folder.create("y", &[ROWS, COLUMNS], Some(&[20, 1024]));
    for _ in 0..3 {
        in_place(&expected).unwrap();
        in_place(&y).unwrap();
    }
    assert!(elements(&y) == elements(&expected));
}

#[test]
fn rows_that_nobody_knows_need_the_whole_array() {
    let _alone = alone(1);
    let folder = Folder::new("unknown");
    let (here, stored) = images(&folder, None);
    let y = folder.create("y", &[ROWS, COLUMNS], None);
    let error = by_rows_from_data(&stored, &y).unwrap_err().to_string();
    assert!(error.contains("may use any row of ") && error.contains("2867200 bytes are needed"), "{error}");
    assert!(error.contains("RUNTIME_STORE_BUDGET allows 1.0 MB"), "{error}");
    context::set("RUNTIME_STORE_BUDGET", "16").unwrap();
    by_rows_from_data(&stored, &y).unwrap();
    let expected = Array::zeros(&[ROWS, COLUMNS]).unwrap();
    by_rows_from_data(&here, &expected).unwrap();
    assert!(elements(&y) == elements(&expected));
}

/// A process that filters an image from one folder to another, with the arrays in between in files.
fn filter_in_a_process(folder: &Path) -> Command {
    let mut process = Command::new(std::env::current_exe().unwrap());
    process.args(["--exact", "what_was_done_is_not_done_again", "--nocapture"]).env(JOB, folder);
    process
}

/// What that process does.
fn filter_there(folder: &Path) {
    context::set("RUNTIME_STORE_BUDGET", "1").unwrap();
    let folder = std::mem::ManuallyDrop::new(Folder(folder.to_path_buf()));
    let x = folder.open("x");
    let y = folder.create("y", &[ROWS, COLUMNS], Some(&[5, 500]));
    blurred(&x, &y).unwrap();
}

#[cfg(unix)]
#[test]
fn what_was_done_is_not_done_again() {
    if let Some(folder) = std::env::var_os(JOB) {
        return filter_there(Path::new(&folder));
    }
    let _alone = alone(1);
    let folder = Folder::new("again");
    let kills: u32 = std::env::var("QUASAR_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    let mut state = 1_u64;
    let mut killed = 0;
    while killed < kills {
        let (here, stored) = images(&folder, Some(&[50, 300]));
        drop(stored);
        let expected = Array::zeros(&[ROWS, COLUMNS]).unwrap();
        blurred(&here, &expected).unwrap();
        let mut ends = Vec::new();
        loop {
            let mut process = filter_in_a_process(&folder.0).spawn().unwrap();
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            std::thread::sleep(std::time::Duration::from_micros(20_000 + (state >> 33) % 300_000));
            let _ = process.kill();
            if process.wait().unwrap().success() {
                break;
            }
            killed += 1;
            let journal = fs::read_to_string(folder.0.join("y/.quasar-journal")).unwrap_or_default();
            ends.push(journal.lines().count());
            // Half an array is refused; one that is not is whole.
            if store::open(&folder.0.join("y")).is_ok() {
                break;
            }
        }
        // What one process has written the next one did not lose.
        let last = ends.last().copied().filter(|lines| *lines == 0).map_or(ends.len(), |_| ends.len() - 1);
        assert!(ends[..last].is_sorted(), "{ends:?}");
        eprintln!("{killed} processes were killed; lines of the journal at these times: {ends:?}");
        assert!(elements(&folder.open("y")) == elements(&expected));
        assert!(!folder.0.join("y/.quasar-journal").exists());
        fs::remove_dir_all(folder.0.join("x")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn other_inputs_begin_anew() {
    let _alone = alone(1);
    let folder = Folder::new("anew");
    let (here, stored) = images(&folder, Some(&[50, 300]));
    drop(stored);
    // A process that is ended when it has done a part.
    let journal = folder.0.join("y/.quasar-journal");
    let mut process = filter_in_a_process(&folder.0).spawn().unwrap();
    while fs::read_to_string(&journal).unwrap_or_default().lines().count() < 10 {
        assert!(process.try_wait().unwrap().is_none(), "it was too fast");
    }
    process.kill().unwrap();
    process.wait().unwrap();
    fs::remove_dir_all(folder.0.join("x")).unwrap();
    let other = folder.create("x", &[ROWS, COLUMNS], Some(&[50, 300]));
    let changed: Vec<f32> = here.read().iter().map(|x| x + 1.0).collect();
    context::set("RUNTIME_STORE_BUDGET", "64").unwrap();
    other.write().copy_from_slice(&changed);
    store::flush().unwrap();
    drop(other);
    assert!(filter_in_a_process(&folder.0).output().unwrap().status.success());
    let (input, expected) =
        (Array::from_vec(&[ROWS, COLUMNS], changed).unwrap(), Array::zeros(&[ROWS, COLUMNS]).unwrap());
    blurred(&input, &expected).unwrap();
    assert!(folder.open("y").to_vec() == expected.to_vec());
}

/// The most memory that this process has had, in KB.
fn high_water_mark() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}

const JOB: &str = "QUASAR_TEST_LARGER";

#[cfg(target_os = "linux")]
#[test]
fn memory_stays_within_the_budget() {
    let Some(folder) = std::env::var_os(JOB) else {
        let folder = Folder::new("memory");
        let mut process = Command::new(std::env::current_exe().unwrap());
        process.args(["--exact", "memory_stays_within_the_budget", "--nocapture"]).env(JOB, &folder.0);
        let output = process.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    };
    context::set("RUNTIME_STORE_BUDGET", "16").unwrap();
    let folder = std::mem::ManuallyDrop::new(Folder(folder.into()));
    // 64 MB each.
    let dims = [4096, 4096];
    let first = folder.create("first", &dims, None);
    in_place(&first).unwrap();
    let before = high_water_mark();
    let last = folder.create("last", &dims, Some(&[64, 512]));
    blurred(&first, &last).unwrap();
    assert_eq!(first.get(&[4095, 17]).unwrap(), 4095.0);
    assert_eq!(last.get(&[4000, 4000]).unwrap(), 2000.0);
    let most = high_water_mark();
    // Code, stacks and the arrays that are too small to count.
    assert!(most < (16 + 32) << 10, "{before} KB, then {most} KB");
}
