//! Programs on the ranks of a cluster, which `mpirun` starts: what they print is what one process prints, what they send is the halo,
//! and an error of one rank is an error of all. The test runs itself as the program.

use libtest_mimic::{Arguments, Failed, Trial};
use quasar::{Result, cluster};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

mod programs {
    quasar::quasar! {
        #![quiet]
        function y : mat = heated(x : mat)
            y = zeros(size(x))
            for m = 1..size(x, 0) - 2
                for n = 1..size(x, 1) - 2
                    y[m, n] = x[m, n] + 0.125 * (x[m - 1, n] + x[m + 1, n] + x[m, n - 1] + x[m, n + 1] - 4 * x[m, n])
                endfor
            endfor
        endfunction

        function y : mat = blurred(x : mat 'mirror)
            y = uninit(size(x))
            for m = 0..size(x, 0) - 1
                for n = 0..size(x, 1) - 1
                    s = 0.0
                    for i = -2..2
                        s += x[m + i, n]
                    endfor
                    y[m, n] = s / 4
                endfor
            endfor
        endfunction

        function y : mat = split(x : mat)
            y = zeros(size(x))
            for m = 0..int(size(x, 0) / 2) - 1
                for n = 0..size(x, 1) - 1
                    y[2 * m, n] = x[2 * m, n] + x[2 * m + 1, n]
                    y[2 * m + 1, n] = x[2 * m, n] - x[2 * m + 1, n]
                endfor
            endfor
        endfunction

        function y : mat = shuffled(x : mat, by : vec[int])
            y = zeros(size(x))
            for m = 0..size(x, 0) - 1
                for n = 0..size(x, 1) - 1
                    y[m, n] = x[by[m], n]
                endfor
            endfor
        endfunction

        function h : vec[int] = counted(x : mat[int])
            h = zeros[int](8)
            for m = 0..size(x, 0) - 1
                for n = 0..size(x, 1) - 1
                    h[and(x[m, n], 7)] += 1
                endfor
            endfor
        endfunction

        function s : vec = column_sums(x : mat)
            s = zeros(size(x, 1))
            for m = 0..size(x, 0) - 1
                for n = 0..size(x, 1) - 1
                    s[n] += x[m, n]
                endfor
            endfor
        endfunction

        function [] = copied_from(x : mat, k : int, wrong : int)
            for m = 0..size(x, 0) - 1
                x[m, 0] = x[m, m == k ? wrong : 1]
            endfor
        endfunction

        function y : mat = numbered(rows : int, columns : int)
            y = uninit(rows, columns)
            for m = 0..rows - 1
                for n = 0..columns - 1
                    y[m, n] = mod(7 * m + 3 * n, 16)
                endfor
            endfor
        endfunction

        function [] = everything(rows : int)
            x = numbered(rows, 24)
            print("heated ", sum(heated(heated(x))), " ", x[rows - 1, 5])
            print("blurred ", blurred(x)[0..1, 3..6])
            print("split ", split(x)[:, 2])
            by = zeros[int](rows)
            for m = 0..rows - 1
                by[m] = mod(5 * m + 3, rows)
            endfor
            print("shuffled ", shuffled(x, by)[:, 4])
            print("columns ", column_sums(x))
            k = zeros[int](rows, 24)
            for m = 0..rows - 1
                for n = 0..23
                    k[m, n] = int(x[m, n]) * m
                endfor
            endfor
            print("counted ", counted(k))
            y = copy(x)
            y[2, 2] = 100
            y[:, 3] = y[:, 4] + 1
            print("changed ", max(heated(y)), " ", min(y), " ", y[0, 2..4])
            z = copy(x)
            for m = 0..rows - 1
                z[m, :] = x[m, :] - mean(x[m, :])
            endfor
            print("rows ", max(abs(z)) < 16, " ", z[1, 0..2])
            print("transposed ", transpose(z)[2, 0..1], " ", size(transpose(z)))
            try
                copied_from(y, rows - 1, 1000)
            catch e
                print("caught")
            endtry
            print("product ", (transpose(x) * x)[0, 0..2])
            print("sorted ", sort(x[:, 1])[0..2], " ", sum(cumsum(x[:, 2])))
        endfunction

        function m : scalar = steps(rows : int, n : int)
            x = numbered(rows, 64)
            for k = 1..n
                x = heated(x)
            endfor
            m = max(x)
        endfunction

        function [] = fails(k : int)
            x = numbered(64, 24)
            copied_from(x, k, 1000)
        endfunction

        function [] = opens(path : string)
            f = fopen(path, "r")
            fclose(f)
        endfunction
    }
}

/// What asks a process to be a rank that runs a case.
const CASE: &str = "QUASAR_TEST_RANKS_CASE";

fn main() {
    if let Ok(case) = std::env::var(CASE) {
        if let Err(error) = on_rank(&case) {
            println!("{case}: {error}");
            std::process::exit(3);
        }
        return;
    }
    let works = Command::new("mpirun").arg("--version").output().is_ok();
    let trial = |name: &str, run: fn() -> std::result::Result<(), Failed>| {
        let name = if works { name.to_owned() } else { format!("{name} [no mpirun here]") };
        Trial::test(name, run).with_ignored_flag(!works)
    };
    let trials = vec![
        trial("programs print what one process prints", same_text),
        trial("ranks send the halo", halo),
        trial("an error of one rank is an error of all", errors),
        trial("ranks that make different calls get an error", differences),
        trial("a rank that ends early ends the others", early_end),
        trial("a rank that is killed ends the others", killed),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Runs a case as a rank.
fn on_rank(case: &str) -> Result<()> {
    let _cluster = cluster::init()?;
    let rank = cluster::rank();
    match case {
        // Fewer rows than ranks, and halos that are wider than the rows of a rank.
        "everything" => [3, 8, 40].iter().try_for_each(|rows| programs::everything(*rows))?,
        "halo" => {
            let before = cluster::bytes_sent();
            programs::steps(64, 11)?;
            let first = cluster::bytes_sent();
            programs::steps(64, 1)?;
            println!("rank {rank}: {} in 10 steps", (first - before) - (cluster::bytes_sent() - first));
        }
        "errors" => {
            say(rank, programs::fails(50));
            let file =
                std::env::current_exe().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
            say(rank, programs::opens(if rank == 1 { "/nonexistent" } else { &file }));
            say(rank, programs::steps(32, 3).map(|_| ()));
        }
        "differences" => say(rank, programs::steps(32, 3 + i32::from(rank == 1)).map(|_| ())),
        "early" if rank == 1 => {}
        "early" => say(rank, programs::steps(32, 3).map(|_| ())),
        _ => {
            println!("rank {rank}: process {}", std::process::id());
            programs::steps(64, i32::MAX)?;
        }
    }
    Ok(())
}

fn say(rank: usize, result: Result<()>) {
    println!("rank {rank}: {}", result.map_or_else(|error| error.to_string(), |()| "fine".into()));
}

/// The command that runs a case on some ranks.
fn mpirun(ranks: usize, case: &str) -> Command {
    let mut command = Command::new("mpirun");
    let version = Command::new("mpirun").arg("--version").output().map(|out| out.stdout).unwrap_or_default();
    if String::from_utf8_lossy(&version).contains("Open MPI") {
        command.arg("--oversubscribe");
    }
    command.arg("-n").arg(ranks.to_string()).arg(std::env::current_exe().expect("this test"));
    command.env(CASE, case).env("RUNTIME_CLUSTER_WORK", "0");
    // Containers have no other user.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

fn run(ranks: usize, case: &str) -> std::result::Result<Output, Failed> {
    Ok(mpirun(ranks, case).output()?)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The sorted lines.
fn lines(output: &Output) -> Vec<String> {
    let mut lines: Vec<String> = text(output).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

fn same_text() -> std::result::Result<(), Failed> {
    let alone = Command::new(std::env::current_exe()?).env(CASE, "everything").output()?;
    let expected = text(&alone);
    if !alone.status.success() || expected.matches("product").count() != 3 {
        return Err(format!("one process: {expected}").into());
    }
    for ranks in 1..=4 {
        let output = run(ranks, "everything")?;
        let found = text(&output);
        if found != expected {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("{ranks} ranks:\n{found}\ninstead of\n{expected}\n{errors}").into());
        }
    }
    Ok(())
}

fn halo() -> std::result::Result<(), Failed> {
    // A row of 64 numbers of 4 bytes to each neighbour.
    let row = 10 * 64 * 4;
    let expected = [row, 2 * row, row].into_iter().enumerate();
    let expected: Vec<String> = expected.map(|(k, n)| format!("rank {k}: {n} in 10 steps")).collect();
    let found = lines(&run(3, "halo")?);
    if found == expected { Ok(()) } else { Err(format!("{found:?} instead of {expected:?}").into()) }
}

fn errors() -> std::result::Result<(), Failed> {
    let found = lines(&run(3, "errors")?);
    let count = |what: &str| found.iter().filter(|line| line.contains(what)).count();
    // The error of a position is the same on all ranks; of a file, the others hear.
    let all = count("index out of bounds: x[50,1000], size 64x24") == 3
        && count("'/nonexistent': No such file") == 3
        && count(": rank 1: ") == 2
        && count("fine") == 3;
    if all { Ok(()) } else { Err(found.join("\n").into()) }
}

fn differences() -> std::result::Result<(), Failed> {
    let found = lines(&run(3, "differences")?);
    let wrong =
        found.iter().filter(|line| line.contains("makes another call") || line.contains("has ended")).count();
    if wrong == 3 { Ok(()) } else { Err(found.join("\n").into()) }
}

fn early_end() -> std::result::Result<(), Failed> {
    let found = lines(&run(3, "early")?);
    let heard = found.iter().filter(|line| line.contains("rank 1: it has ended while others go on")).count();
    if heard == 2 { Ok(()) } else { Err(found.join("\n").into()) }
}

fn killed() -> std::result::Result<(), Failed> {
    use std::io::{BufRead, BufReader};
    let mut child = mpirun(3, "killed").stdout(std::process::Stdio::piped()).spawn()?;
    let out = BufReader::new(child.stdout.take().ok_or("no output")?);
    let mut lines = out.lines();
    let process = loop {
        let line = lines.next().ok_or("no rank")??;
        if let Some((_, process)) = line.split_once("rank 1: process ") {
            break process.to_owned();
        }
    };
    Command::new("kill").arg("-9").arg(&process).status()?;
    let began = Instant::now();
    while child.try_wait()?.is_none() {
        if began.elapsed() > Duration::from_secs(10) {
            child.kill()?;
            return Err("the other ranks go on".into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
