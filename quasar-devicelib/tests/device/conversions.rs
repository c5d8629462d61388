//! Every conversion by every rule, around the limits of every integer type.

use crate::job::{Case, Grid, Mistakes, merged, suffix};
use crate::rows::{converted, edges};
use quasar_devicelib::element::{ElementType, Overflow, Scalar};

/// Values around the limits of the integer types, and where digits get lost.
fn limits(ty: ElementType) -> Vec<Scalar> {
    let mut values = Vec::new();
    for bits in [7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64] {
        let power = 2.0_f64.powi(bits);
        for near in [-1.5, -1.0, -0.5, 0.0, 0.5, 0.9, 1.0, 1.5, power * 0.37, power * 5.0 + 7.9] {
            values.extend([power + near, -power - near]);
        }
    }
    values.extend([
        0.99,
        -0.99,
        300.7,
        -300.7,
        3.0e9,
        1.0e10 + 0.7,
        1.84e19,
        -3.0e38,
        3.0e38,
        1.0e-7,
        6.0e-8,
        2049.0,
    ]);
    converted(&values, ty)
}

fn conversions(from: ElementType) -> Case {
    let values: Vec<Scalar> = edges(from).into_iter().chain(limits(from)).collect();
    let mut grid = Grid::new(values.len());
    grid.input("x", from, values.clone());
    let rules = [("to", Overflow::Wrap), ("saturate", Overflow::Saturate), ("fits", Overflow::Checked)];
    for &to in ElementType::ALL {
        for (rule, _) in rules {
            let ty = if rule == "fits" { ElementType::Int32 } else { to };
            grid.output(ty, &format!("q_{rule}_{}_from_{}(x)", suffix(to), suffix(from)));
        }
    }
    let job = grid.job();
    let check = Box::new(move |buffers: &[Vec<u8>], _| {
        let mut mistakes = Mistakes::default();
        let mut output = 0;
        for &to in ElementType::ALL {
            for (rule, overflow) in rules {
                for (x, got) in values.iter().zip(grid.read(buffers, output)) {
                    let result = x.convert(to, overflow);
                    let want = if rule == "fits" {
                        Scalar::I32(result.is_ok().into())
                    } else {
                        result.unwrap_or(*x)
                    };
                    mistakes.expect(got.same_bits(want), || {
                        format!("{rule} {to} of {x:?} is {got:?}, not {want:?}")
                    });
                }
                output += 1;
            }
        }
        mistakes.result()
    });
    Case { name: format!("conversions_{}", suffix(from)), job, check }
}

pub(crate) fn cases() -> Vec<Case> {
    let group = |name, belongs: fn(ElementType) -> bool| {
        let types = ElementType::ALL.iter().filter(|&&ty| belongs(ty));
        merged(name, types.map(|&from| conversions(from)).collect())
    };
    vec![
        group("conversions_of_integers", ElementType::is_integer),
        group("conversions_of_floats", ElementType::is_float),
        group("conversions_of_complex", ElementType::is_complex),
    ]
}
