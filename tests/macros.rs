//! What users see of the macros at compile time: messages at the right tokens, and programs in every form.
//!
//! `TRYBUILD=overwrite cargo test --test macros` rewrites the expected messages; review the difference.

#[test]
fn messages_and_forms() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/*.rs");
    cases.pass("tests/compile_pass/*.rs");
}
