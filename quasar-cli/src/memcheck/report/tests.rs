//! Reports as the documentation of compute-sanitizer shows them, of several versions.

use super::*;

fn place(file: &str, line: u32) -> Option<(String, u32)> {
    Some((file.to_owned(), line))
}

/// CUDA 12 and 13: the function stands before the offset.
const ACCESS: &str = "========= COMPUTE-SANITIZER
the program prints this
========= Invalid __global__ read of size 4 bytes
=========     at k_turn+0x90 in /home/me/f.q:46
=========     by thread (31,0,0) in block (3,0,0)
=========     Access at 0x7f2b84000200 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f2b84000000 of size 512 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: [0x2ef461] in libcuda.so.1
=========         Host Frame: main [0x1234] in program
========= 
========= Invalid __shared__ write of size 16 bytes
=========     at q_put_16(float *, int)+0x1f0 in turn.cu:120
=========         Device Frame: k_blur_team+0x1f0 in my file.q:7
=========     by thread (0,1,0) in block (0,0,2)
=========     Address 0x4 is misaligned
========= 
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to \"unspecified launch failure\" on CUDA API call to cuStreamSynchronize.
=========     Saved host backtrace up to driver entry point at error
========= 
========= Target application returned an error
========= ERROR SUMMARY: 3 errors
========= ERROR SUMMARY: 1,024 errors were not printed. Use --print-limit option to adjust the number of printed errors
";

#[test]
fn accesses_have_places_threads_and_addresses() {
    let report = read(ACCESS);
    assert!(report.began && report.complete && report.program_failed, "{report:?}");
    assert_eq!((report.not_printed, report.failures.len()), (1024, 0));
    let [read, write, call] = &report.findings[..] else { panic!("{report:?}") };
    assert_eq!((read.class, &read.text[..]), (Class::Access, "Invalid __global__ read of size 4"));
    assert_eq!(read.frames.len(), 1);
    assert_eq!((&read.frames[0].function[..], &read.frames[0].place), ("k_turn", &place("/home/me/f.q", 46)));
    assert_eq!((read.thread, read.block), (Some([31, 0, 0]), Some([3, 0, 0])));
    assert_eq!(read.notes.len(), 1);
    assert!(read.notes[0].contains("out of bounds and is 1 bytes after"), "{:?}", read.notes);
    let places: Vec<_> = write.frames.iter().map(|frame| frame.place.clone()).collect();
    assert_eq!(places, [place("turn.cu", 120), place("my file.q", 7)]);
    assert_eq!(write.frames[0].function, "q_put_16(float *, int)");
    assert_eq!((call.class, call.frames.len()), (Class::Call, 0));
}

/// CUDA 11: the offset stands first, the function behind the line; inlined functions have brackets.
const OLDER: &str = "========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 1 bytes
=========     at 0x160 in C:/My Files/f.q:46:ns::k_turn(void)
=========     by thread (0, 0, 0) in block (0, 0, 0)
=========     Address 0x400100001 is out of bounds
=========     Device Frame:f.q:12:k_other(int) [0x160]
=========
========= Invalid __local__ read of size 1 byte
=========     at 0x160 in k_bare(float*)
=========     by thread (1,0,0) in block (0,0,0)
=========
========= ERROR SUMMARY: 2 errors
";

#[test]
fn older_forms_are_read() {
    let report = read(OLDER);
    let [write, bare] = &report.findings[..] else { panic!("{report:?}") };
    assert_eq!(write.text, "Invalid __global__ write of size 1");
    assert_eq!(write.frames[0].place, place("C:/My Files/f.q", 46));
    assert_eq!(write.frames[0].function, "ns::k_turn(void)");
    assert_eq!((&write.frames[1].function[..], &write.frames[1].place), ("k_other(int)", &place("f.q", 12)));
    assert_eq!((write.thread, write.block), (Some([0; 3]), Some([0; 3])));
    assert_eq!((&bare.frames[0].function[..], &bare.frames[0].place), ("k_bare(float*)", &None));
    assert_eq!(bare.text, "Invalid __local__ read of size 1");
}

#[test]
fn races_have_all_their_accesses() {
    let text = "========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at k_sum(int *, int *)+0x100 in f.q:18
=========     and Read access at k_sum(int *, int *)+0x480 in f.q:27 [508 hazards]
=========
========= Warning: Race reported between Write access at 0x00000a8 in f.q:5:k_old
=========     and Write access at 0x00000b8 in f.q:6:k_old [4 hazards]
=========     Current Value : 1, Incoming Value : 2
=========
========= Error: Potential RAW hazard detected at __shared__ 0x10 in block (0, 0, 0) :
=========     Write Thread (0, 0, 0) at 0x100 in f.q:18:k_sum(int*)
=========     Read Thread (32, 0, 0) at 0x480 in f.q:27:k_sum(int*)
=========
========= RACECHECK SUMMARY: 3 hazards displayed (2 errors, 1 warning)
";
    let report = read(text);
    assert!(report.complete);
    let found: Vec<_> = report
        .findings
        .iter()
        .map(|race| {
            assert_eq!(race.class, Class::Race);
            race.frames
                .iter()
                .map(|f| (f.role.as_str(), f.place.clone().expect("a place").1))
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(found[0], [("Write access", 18), ("Read access", 27)]);
    assert_eq!(found[1], [("Write access", 5), ("Write access", 6)]);
    assert_eq!(found[2], [("Write Thread (0,0,0)", 18), ("Read Thread (32,0,0)", 27)]);
    assert_eq!(report.findings[1].notes, ["Current Value : 1, Incoming Value : 2"]);
    assert!(report.findings[2].text.starts_with("Potential RAW hazard"));
}

#[test]
fn memory_without_values_barriers_and_what_is_new_are_read() {
    let text = "========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at k_a+0x70 in f.q:3
=========     by thread (0,0,0) in block (1,0,0)
=========     Address 0x7f0000000000
========= Barrier error detected. Divergent thread(s) in block
=========     at k_a+0xc0 in f.q:4
=========     by thread (31,0,0) in block (1,0,0)
========= Something that later versions find
=========     at k_a+0xd0 in f.q:5
========= A remark without a place
========= ERROR SUMMARY: 3 errors
";
    let report = read(text);
    let classes: Vec<_> =
        report.findings.iter().map(|each| (each.class, each.frames[0].place.clone())).collect();
    assert_eq!(
        classes,
        [
            (Class::Uninitialised, place("f.q", 3)),
            (Class::Barrier, place("f.q", 4)),
            (Class::Other, place("f.q", 5)),
        ]
    );
}

#[test]
fn what_is_cut_off_or_failed_is_known() {
    for end in 0..ACCESS.len() {
        let report = read(&ACCESS[..end]);
        assert!(report.findings.len() <= 3 && !(report.complete && end < 500), "{end}");
    }
    let cut = read(&ACCESS[..ACCESS.find("Saved").unwrap()]);
    assert!(cut.began && !cut.complete && cut.findings.len() == 1);
    let clean = read("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n");
    assert!(clean.complete && clean.findings.is_empty() && clean.failures.is_empty());
    let none = read(
        "========= COMPUTE-SANITIZER\n========= Error: Target application terminated before first instrumented API call\n",
    );
    assert_eq!(none.failures, ["Target application terminated before first instrumented API call"]);
    assert!(!none.complete);
    assert_eq!(read("bash: no such thing\n"), Report::default());
}
