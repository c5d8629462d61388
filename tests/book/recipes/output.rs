use quasar::context;

quasar::quasar! {
    function [] = report(name : string, value : scalar)
        print name, ": ", value
    endfunction
}

#[test]
fn what_is_printed_can_be_captured() {
    let text = context::with_output(|| report("mean", 2.5).expect("it prints"));
    assert_eq!(text, "mean: 2.5\n");
}
