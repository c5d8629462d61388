//! The level of instructions may change while products are computed. A process of its own, since all tests of one share the level.

use quasar_devicelib::isa::{self, Level};
use quasar_devicelib::value::{Caller, gemm};

#[test]
fn a_product_keeps_to_the_level_that_it_began_with() {
    let a = vec![0.5f32; 200 * 200];
    let changes = std::thread::spawn(|| {
        for k in 0..200_000 {
            isa::limit([Level::Baseline, Level::Avx2, Level::Avx512][k % 3]);
        }
    });
    while !changes.is_finished() {
        let product = gemm::multiply(&Caller, &a, &a, [200; 3]).expect("a product");
        assert!(product.iter().all(|x| *x == 50.0));
    }
    changes.join().expect("levels");
}
