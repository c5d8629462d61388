//! A value that does not fit is underlined where it stands in the call.

mod unknown {
    quasar::quasar_file!("scaled.q", FACTRO = 3);
}

mod wrong {
    quasar::quasar_file!("scaled.q", SHIFT = [1, 2], FACTOR = "three");
}

mod tokens {
    quasar::quasar! {
        #![define(N 3)]
        N = 4
    }
}

fn main() {}
