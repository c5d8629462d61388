//! Ordinary programs on the processor, for `python benches/ordinary_peers.py`, which compares them with their peers.
//!
//! Nobody tuned for them: they are what users of MATLAB, NumPy and numba write first, some in several spellings.

#[path = "ordinary/child.rs"]
mod child;

use child::{Inputs, Program, Results};
use std::error::Error;

macro_rules! programs {
    ($($name:ident $file:literal),*) => { $(mod $name { quasar::quasar_file!(#![quiet] $file); })* };
}

programs!(
    bilateral "benches/workloads/bilateral.q",
    blackscholes "benches/workloads/blackscholes.q",
    blocks "benches/workloads/blocks.q",
    builtins "benches/ordinary/builtins.q",
    chains "benches/workloads/chains.q",
    flows "benches/ordinary/flows.q",
    idioms "benches/ordinary/idioms.q",
    images "benches/ordinary/images.q",
    images2 "benches/ordinary/images2.q",
    kernels "benches/ordinary/kernels.q",
    library "benches/workloads/library.q",
    linear "benches/ordinary/linear.q",
    linear2 "benches/ordinary/linear2.q",
    mandelbrot "benches/workloads/mandelbrot.q",

    order "benches/workloads/order.q",
    pixels "benches/ordinary/pixels.q",
    pyramid "benches/workloads/pyramid.q",
    resize "benches/workloads/resize.q",
    rows "benches/workloads/rows.q",
    science "benches/ordinary/science.q",
    sobel "benches/workloads/sobel.q",
    stencils "benches/ordinary/stencils.q"
);

/// Programs by name, with their arguments: arrays of numbers (`f`), integers (`i`), bytes (`b`), a number (`n`), an integer (`k`).
macro_rules! table {
    ($find:ident; $($module:ident: $($function:ident($($kind:ident)*)),*;)*) => {
        fn $find(name: &str) -> Option<Program> {
            $($(if name == concat!(stringify!($module), ".", stringify!($function)) {
                return Some(|_inputs: &Inputs| Ok($module::$function($(_inputs.$kind()),*)?.values()));
            })*)*
            None
        }
    };
}

table! {
    matrices;
    linear: two_mm(n n f f f f), two_mm_loops(n n f f f f), three_mm(f f f f), atax(f f), atax_loops(f f), bicg(f f f),
        bicg_loops(f f f), mvt(f f f f f), mvt_loops(f f f f f), gemver(n n f f f f f f f),
        gemver_loops(n n f f f f f f f), gesummv(n n f f f), gesummv_loops(n n f f f), symm(n n f f f), syrk(n n f f),
        syrk_slices(n n f f), syr2k(n n f f f), trmm(n f f), doitgen(f f), doitgen_slices(f f), cholesky_loops(f),
        cholesky_slices(f), cholesky_library(f), lu_loops(f), lu_steps(f), lu_slices(f);
    linear2: durbin(f), durbin_slices(f), gramschmidt(f), gramschmidt_slices(f), covariance(f), covariance_loops(f),
        correlation(f), correlation_loops(f), backward(f f);
    order: dither(f), forward(f f), paths(f), levenshtein_table(i i);
    rows: sorted(f), row_sums(f), column_sums(f);
    builtins: solved(f f), inverse(f), orthogonal(f), singular(f), eigenvalues(f), determinant(f), kronecker(f f),
        ridge(f f n), logistic(f f n k), conjugate(f f k), powers(f k), squared_distances(f f), contour(f f k);
    library: turned(f), std_all(f), clipped(f);
}

table! {
    sciences;
    stencils: jacobi1d(f k), jacobi1d_slices(f k), jacobi2d(f k), heat3d(f k), heat3d_slices(f k), fdtd2d(f f f f),
        fdtd2d_slices(f f f f), seidel2d(f k), adi(f k n), deriche(f n);
    flows: hdiff(f f), hdiff_loops(f f), vadv(f f), vadv_slices(f f), cavity(k k k n n n), channel(f f k);
    science: azimint(f f k), azimint_counts(f f k), arc_distance(f f f f), arc_distance_loop(f f f f), go_fast(f),
        compute(i i k k k), softmax_rows(f), softmax_arrays(f), mlp(f f f f f f f), lenet(f f f f f),
        convolution(f f f), residual(f f f f f), stockham(f f), spmv(i i f f), crc16(b k), nussinov(i), scattering(f f i),
        scattering_slices(f f i), asian_option(f n n n n n), nearest(f f), gravity(f f f f), gravity_arrays(f f f f);
    mandelbrot: mandelbrot(k k k), mandelbrot_complex(k k k);
    chains: gray_scott(f f n n), adam(f f f f), moments(f), polar(f f);
    blackscholes: black_scholes(f f f n n), black_scholes_loop(f f f n n);
    builtins: spectrum(f), fast_convolution(f f), running(f), selected(f), deviations(f), largest(f), joined(f f),
        ordered(f), turned(f), planes(f), polynomial(f f);
    kernels: jacobi(f k), histogram(b), nearest(f f), product(f f);
}

table! {
    pictures;
    idioms: sharpened(f), sharpened_sz(f), sharpened_table(f), sharpened_lambda(f), sharpened_window(f f),
        roots_continue(f), roots_if(f), roots_mask(f), bins_break(f f), bins_while(f f), bins_count(f f), shares(f),
        shares_arrays(f);
    images: unsharp(f n), edges(f n), otsu(b), equalise(b), tiles_equalised(b k), median3(f), median5(f),
        median3_bytes(b), opened(b k), box_integral(f k), guided(f f k n), diffusion(f k n n), gauss5(f), erode(b k);
    images2: chamfer(b), labels(b), demosaic(f), rotated(f n), lucas_kanade(f f k), match_squares(f f),
        match_slices(f f), match_correlation(f f), hough(b k), lbp(b), hog(f), hog_cells(f), seam(f);
    pixels: hsv(f), blend(f f f), blend_bytes(b b b), gamma_table(b n), gamma_cube(b n), kmeans(f f k), gray_bytes(b),
        threshold(b k), absolute_difference(b b), lens(b n), dct_products(f f), tile_statistics(f);
    blocks: dct_blocks(f f);
    pyramid: down(f), down_separable(f), haar(f), haar_slices(f);
    resize: bilinear(f k k), bicubic(f k k);
    bilateral: bilateral(f k n n), bilateral_table(f k n n);
    builtins: filtered(f f), smoothed(f n), eroded(f), medians(f k), resized(f k k), lab(f), luma(f), integral(f);
    kernels: median(f), bilateral(f k n n), rotated(f n), cells(f);
    sobel: sobel(f n), sobel_bytes(f n);
}

fn main() -> Result<(), Box<dyn Error>> {
    child::answer(|name| matrices(name).or_else(|| sciences(name)).or_else(|| pictures(name)))
}
