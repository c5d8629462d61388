//! Hostile environments: planted cache folders and configuration files, modules that are no ordinary files, and an
//! output that cannot be written.

#![cfg(unix)]

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    fn folder(&self, name: &str, mode: u32) -> PathBuf {
        fs::create_dir_all(self.path(name)).unwrap();
        set_mode(&self.path(name), mode);
        self.path(name)
    }

    /// The command, run in this folder.
    fn quasar(&self) -> Command {
        let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
        process.current_dir(&self.0);
        process
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn compiled_programs_are_not_taken_from_folders_of_others() {
    let folder = Folder::new("planted");
    let program = folder.file("x.q", "print 1\n");
    // A fake cargo, which records its working directory.
    let cargo =
        folder.file("cargo", &format!("#!/bin/sh\npwd > {}\nexit 1\n", folder.path("where").display()));
    set_mode(&cargo, 0o755);
    let run = |cache: &Path| {
        let mut process = folder.quasar();
        process.env_remove("HOME").env_remove("XDG_CACHE_HOME").env("CARGO", &cargo);
        process.env("QUASAR_CACHE_DIR", cache).args(["run", "--engine", "cpu"]).arg(&program);
        process.output().unwrap()
    };
    let private = folder.folder("private", 0o700);
    symlink(&private, folder.path("link")).unwrap();
    let inside = folder.folder("private2", 0o700).join("programs");
    fs::create_dir(&inside).unwrap();
    set_mode(&inside, 0o777);
    folder.folder("all", 0o777);
    let below = folder.folder("all/below", 0o700);
    for (cache, why) in [
        (folder.folder("open", 0o777), "can be written by other users (its mode is 777)"),
        (folder.folder("sticky", 0o1777), "can be written by other users (its mode is 1777)"),
        (folder.folder("group", 0o770), "can be written by other users (its mode is 770)"),
        (folder.path("link"), "is a link, which could lead anywhere"),
        (folder.file("file", ""), "is not a folder"),
        (folder.path("private2"), "can be written by other users (its mode is 777)"),
        (below, "can be written by all users, who could replace what is in it"),
    ] {
        let output = run(&cache);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("there is no safe place for the compiled program: '"), "{said}");
        assert!(said.contains(why) && said.contains("QUASAR_CACHE_DIR"), "{said}");
        assert!(!folder.path("where").exists(), "nothing was started");
    }
    // With a private cache folder, cargo starts where no other user's configuration is read.
    let output = run(&private);
    assert!(said(&output).contains("cargo could not build the program"), "{}", said(&output));
    assert_eq!(fs::read_to_string(folder.path("where")).unwrap(), "/\n");
    // A planted binary without the note of a finished build is not executed.
    let mut built = fs::read_dir(private.join("programs")).unwrap().map(|entry| entry.unwrap().path());
    let is_program = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("x-");
    let built = built.find(is_program).unwrap();
    assert_eq!(built.file_name().unwrap().len(), "x-".len() + 64, "named by a digest");
    let binary = built.join("program");
    fs::write(&binary, "#!/bin/sh\necho planted\n").unwrap();
    set_mode(&binary, 0o755);
    let output = run(&private);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert!(said(&output).contains("cargo could not build the program"), "{}", said(&output));
}

#[test]
fn configuration_files_that_all_can_change_are_refused() {
    let folder = Folder::new("configuration");
    let program = folder.file("x.q", "print 1\n");
    let config = folder.file("Quasar.Runtime.config.xml", "<quasar/>\n");
    for (mode, fine) in [(0o644, true), (0o664, true), (0o666, false), (0o602, false)] {
        set_mode(&config, mode);
        for command in ["run", "check", "emulate"] {
            let output = folder.quasar().arg(command).arg(&program).output().unwrap();
            let said = said(&output);
            assert_eq!(output.status.success(), fine, "{command} {mode:o}: {said}");
            assert_eq!(said.contains("can be written by all users; run chmod o-w on it"), !fine, "{said}");
        }
    }
    fs::remove_file(&config).unwrap();
    for special in ["/dev/zero", "/proc/self/environ", "/"] {
        let output = folder.quasar().env("QUASAR_CONFIG", special).arg("run").arg(&program).output().unwrap();
        assert!(
            said(&output).contains("the configuration file cannot be used: this is "),
            "{}",
            said(&output)
        );
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn modules_and_programs_are_ordinary_files() {
    let folder = Folder::new("modules");
    folder.file("secret", "root:x:0:0:secret\n");
    symlink("/dev/zero", folder.path("zero.q")).unwrap();
    folder.folder("folder.q", 0o755);
    assert!(Command::new("mkfifo").arg(folder.path("pipe.q")).status().unwrap().success());
    for (name, why) in [
        ("/dev/zero", "'/dev/zero' is no module: files of modules end in '.q'"),
        ("secret", "'secret' is no module: files of modules end in '.q'"),
        ("/etc/passwd", "'/etc/passwd' is no module: files of modules end in '.q'"),
        ("zero.q", "the module 'zero.q' cannot be read: this is a device or a pipe, not a file"),
        ("pipe.q", "the module 'pipe.q' cannot be read: this is a device or a pipe, not a file"),
        ("folder.q", "the module 'folder.q' cannot be read: this is a folder, not a file"),
    ] {
        let program = folder.file("x.q", &format!("import \"{name}\"\nprint 1\n"));
        for command in ["run", "check", "emulate"] {
            let output = folder.quasar().arg(command).arg(&program).output().unwrap();
            let said = said(&output);
            assert!(!output.status.success() && said.contains(why), "{command} {name}: {said}");
            assert!(!said.contains("secret\n") && !said.contains("root:"), "{said}");
        }
    }
    for name in ["/dev/zero", "zero.q", "pipe.q", "folder.q", "/proc/self/maps"] {
        let output = folder.quasar().args(["run", name]).output().unwrap();
        assert!(said(&output).contains(": this is "), "{name}: {}", said(&output));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_output_that_cannot_be_written_ends_with_a_message() {
    let folder = Folder::new("output");
    let print = folder.file("print.q", "x = [1,2]\nprint x\nprintf(\"%d\", 3)\n");
    let kernel = folder.file("kernel.q", "function [] = main()\n    x = zeros(9)\n    for k=0..8\n        x[k] = k\n    endfor\n    print x\nendfunction\n");
    let many = folder.file("many.q", "for k=1..10^7\n    print k\nendfor\n");
    let full = || File::create("/dev/full").unwrap();
    let mut commands: Vec<Vec<&str>> =
        vec![vec!["devices"], vec!["--help"], vec!["run", "--help"], vec!["--version"]];
    commands.extend([&print, &kernel].iter().map(|file| vec!["run", file.to_str().unwrap()]));
    commands.push(vec!["emulate", kernel.to_str().unwrap()]);
    for stage in ["ast", "types", "host", "kernel", "rust", "device"] {
        commands.push(vec!["emit", "--stage", stage, kernel.to_str().unwrap()]);
    }
    for arguments in &commands {
        let output = folder.quasar().args(arguments).stdout(full()).output().unwrap();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("the output cannot be written: No space left"), "{arguments:?}: {said}");
        // Without a working standard error there is still an exit status, and no panic.
        let status = folder.quasar().args(arguments).stdout(full()).stderr(full()).status().unwrap();
        assert_eq!(status.code(), Some(1), "{arguments:?}");
    }
    // A reader that closes the pipe, as `head` does.
    let mut process = folder.quasar();
    process.arg("run").arg(&many).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = process.spawn().unwrap();
    drop(process.stdout.take());
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("the output cannot be written: Broken pipe"), "{}", said(&output));
    // An error in the program, with a standard error that cannot be written.
    let wrong = folder.file("wrong.q", "print (\n");
    let status = folder.quasar().arg("check").arg(&wrong).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn programs_write_and_read_open_files() {
    let folder = Folder::new("open");
    let program = folder.file(
        "x.q",
        "f = fopen(\"x.txt\", \"w\")\nfprintf(f, \"%d %s\\n\", 3, \"lines\")\nfprintf(f, \"end\")\nfclose(f)\n\
         g = fopen(\"x.txt\")\nprint fgets(g)\nprint feof(g)\nprint fread(g)\nprint feof(g)\nfclose(g)\n\
         a = fopen(\"x.txt\", \"a\")\nfprintf(a, \"!\")\nfclose(a)\nb = fopen(\"x.txt\", \"r\")\nprint fread(b, 4)\n\
         print dir(\"x.*\")\n",
    );
    let output = folder.quasar().arg("run").arg(&program).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(printed, "3 lines\n\n0\n[101,110,100]\n1\n[51,32,108,105]\n{\"x.q\",\"x.txt\"}\n");
    assert_eq!(fs::read_to_string(folder.path("x.txt")).unwrap(), "3 lines\nend!");
}
