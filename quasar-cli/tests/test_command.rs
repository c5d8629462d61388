//! `quasar test`, as a user types it.

use std::path::PathBuf;
use std::process::Command;

/// Success, standard output and standard error of `quasar test` on files in a folder of their own.
fn test(folder: &str, files: &[(&str, &str)], arguments: &[&str]) -> (bool, String, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("test_command").join(folder);
    let _ = std::fs::remove_dir_all(&folder);
    for (name, text) in files {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("folders can be made");
        std::fs::write(&file, text).expect("the folder for tests can be written");
    }
    let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
    let process = process.arg("test").args(arguments).current_dir(&folder);
    let output = process.output().expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// What is printed before the time.
fn before_time(output: &str) -> &str {
    output.rsplit_once("; finished in ").map_or(output, |(before, _)| before)
}

#[test]
fn passed_and_failed_tests_are_counted_and_failures_are_shown() {
    let text = "function y = half(x)\n    y = x / 2\nendfunction\n\
                function [] = test_good()\n    assert(half(4) == 2)\nendfunction\n\
                function [] = test_bad()\n    print \"looking\"\n    x = rand(3)\n    assert(numel(x) == numel(rand(4)), \"sizes\")\nendfunction\n\
                function [] = helper()\n    error \"not a test\"\nendfunction\n";
    let (success, output, said) = test("counted", &[("a.q", text)], &["a.q"]);
    assert!(!success && said.is_empty(), "{said}");
    assert!(output.starts_with("a.q: 2 tests\ntest test_good ... ok\ntest test_bad ... "), "{output}");
    assert!(output.contains("\nfailures:\n\n---- a.q: test_bad\nError: a.q - line 10: "), "{output}");
    assert!(output.contains("10 |     assert(numel(x) == numel(rand(4)), \"sizes\")"), "{output}");
    assert!(
        before_time(&output).ends_with("test result: FAILED. 1 passed; 1 failed; 0 filtered out"),
        "{output}"
    );
}

#[test]
fn the_sides_of_a_comparison_that_failed_are_shown() {
    let text = "function y = mean_of(v : vec)\n    print \"once\"\n    y = sum(v) / (numel(v) + 1)\nendfunction\n\
                function [] = test_mean()\n    for k = 1..3\n        v = ones(k) * k\n        assert(mean_of(v) > 0.5 * k - 0.25)\n    \
                assert(mean_of(v) == (k > 1 ? 4/3 : 0.5), \"the mean\")\n    endfor\nendfunction\n\
                function [] = test_literal(n : int)\n    m = n\n    assert(m < 5)\nendfunction\n";
    let (success, output, _) = test("sides", &[("a.q", text)], &["--seed", "1"]);
    assert!(!success);
    assert!(
        output.contains("\nmean_of(v) is 2.25\n(k > 1 ? 4/3 : 0.5) is 1.333333\nit printed:\nonce\n"),
        "{output}"
    );
    assert!(output.contains("\nm is 5\n"), "{output}");
}

#[test]
fn each_test_has_a_program_of_its_own() {
    let text = "counter = zeros(1)\nfunction [] = test_a()\n    counter[0] += 1\n    assert(counter[0] == 1)\nendfunction\n\
                function [] = test_b()\n    counter[0] += 1\n    assert(counter[0] == 1)\nendfunction\n";
    let (success, output, said) = test("fresh", &[("a.q", text)], &[]);
    assert!(success, "{output}{said}");
    assert_eq!(
        before_time(&output),
        "a.q: 2 tests\ntest test_a ... ok\ntest test_b ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 filtered out"
    );
}

#[test]
fn folders_are_searched_and_names_are_filtered() {
    let one = "function [] = test_one()\n    x = 1\nendfunction\n";
    let files =
        [("b.q", one), ("in/ner/a.q", one), ("in/none.q", "error \"it ran\"\n"), ("target/x.q", "function")];
    let (success, output, _) = test("folders", &files, &["--list"]);
    assert!(success);
    assert_eq!(output, "b.q: test_one\nin/ner/a.q: test_one\n");
    let (success, output, _) = test("folders", &files, &["in", "--filter", "two"]);
    assert!(success);
    assert_eq!(before_time(&output), "test result: ok. 0 passed; 0 failed; 1 filtered out");
}

#[test]
fn random_arguments_meet_the_first_assertions_and_failures_are_made_simple() {
    let text = "function [] = test_small(n : int, v : vec)\n    assert(numel(v) > 0)\n    s = n\n    assert(s < 7)\nendfunction\n\
                function [] = test_same(a : mat, b : mat)\n    assert(size(a) == size(b))\n    assert(numel(a) > 0)\n    \
                c = a + b\n    assert(sum(sum(abs(c - b - a))) < 0.01)\nendfunction\n";
    let (success, output, said) = test("random", &[("a.q", text)], &["--seed", "5"]);
    assert!(!success, "{output}{said}");
    assert!(output.contains("test test_same ... ok, 100 cases"), "{output}");
    assert!(output.contains("\nwith n = 7, v = [0] (case "), "{output}");
    assert!(output.contains("random arguments: --seed 5\n"), "{output}");
    let again = test("random", &[("a.q", text)], &["--seed", "5"]).1;
    assert_eq!(before_time(&again), before_time(&output));
    let few = test("random", &[("a.q", text)], &["--seed", "5", "--cases", "3", "--filter", "same"]).1;
    assert!(few.contains("test test_same ... ok, 3 cases"), "{few}");
}

#[test]
fn a_test_that_does_not_compile_fails_alone() {
    let text = "function [] = test_typo()\n    print nothing_like_it % é\nendfunction\n\
                function [] = test_never()\n    assert(1 == 2)\nendfunction\n\
                function [] = test_fine()\n    assert(numel([1,2]) == 2)\nendfunction\n";
    let (success, output, _) = test("typo", &[("a.q", text)], &[]);
    assert!(!success);
    assert!(output.contains("test test_fine ... ok"), "{output}");
    assert!(
        output.contains("---- a.q: test_typo\nError: a.q - line 2: unknown name 'nothing_like_it'"),
        "{output}"
    );
    assert!(output.contains("---- a.q: test_never\nError: a.q - line 5: "), "{output}");
    assert!(before_time(&output).ends_with("1 passed; 2 failed; 0 filtered out"), "{output}");
}

#[test]
fn what_cannot_be_tested_is_said() {
    let (success, _, said) = test("missing", &[("a.q", "")], &["nowhere.q"]);
    assert!(!success && said.starts_with("Error: nowhere.q: "), "{said}");
    let (success, output, _) = test("none", &[("a.q", "print 1\n")], &["a.q"]);
    assert!(success && output.contains("names begin with 'test_'; there are none"), "{output}");
    let (success, output, _) = test("broken", &[("a.q", "function y = ")], &["a.q"]);
    assert!(
        !success && output.contains("a.q ... does not compile") && output.contains("Error: a.q - line 1")
    );
    let text = "function [] = test_open(x)\n    y = x\nendfunction\nfunction [] = test_cells(x : vec[vec])\n    y = x\nendfunction\n\
                function [] = test_never(n : int)\n    assert(n > 1000)\n    y = n\n    assert(y > 0)\nendfunction\n";
    let (success, output, _) = test("kinds", &[("a.q", text)], &[]);
    assert!(!success);
    assert!(output.contains("'test_open' cannot be called: its parameter 'x' has no type"), "{output}");
    assert!(output.contains("no random arguments of type 'vec[vec]' can be drawn for 'x'"), "{output}");
    assert!(output.contains("none of 2000 random arguments meet the assertions"), "{output}");
}
