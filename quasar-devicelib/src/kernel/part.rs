//! Kernel arguments that can be split along with the positions of a launch.

use half::f16;

/// One or several arguments of a kernel.
pub trait Part: Sized + Send {
    /// Splits into the argument for the positions before `cut` (in row-major order) and that for the others. `cut`
    /// holds the leading components of a position; missing ones are zero.
    fn split(self, cut: &[i32]) -> (Self, Self);
    /// The bytes of the arrays that it names; 0 for numbers.
    fn bytes(&self) -> usize {
        0
    }
    /// The positions of a chunk below which it does more for the argument than for its positions.
    fn least_positions(&self) -> usize {
        0
    }
}

impl Part for () {
    fn split(self, _cut: &[i32]) -> ((), ()) {
        ((), ())
    }
}

impl<A: Part, B: Part> Part for (A, B) {
    fn split(self, cut: &[i32]) -> (Self, Self) {
        let (a, b) = (self.0.split(cut), self.1.split(cut));
        ((a.0, b.0), (a.1, b.1))
    }

    fn bytes(&self) -> usize {
        self.0.bytes().saturating_add(self.1.bytes())
    }

    fn least_positions(&self) -> usize {
        self.0.least_positions().max(self.1.least_positions())
    }
}

/// The captures of a function argument; see [`MAX_CAPTURES`].
macro_rules! captures {
    ($($($name:ident)+;)*) => {
        $(impl<$($name: Part),+> Part for ($($name,)+) {
            #[allow(non_snake_case, reason = "each value has the name of its type")]
            fn split(self, cut: &[i32]) -> (Self, Self) {
                let ($($name,)+) = self;
                $(let $name = $name.split(cut);)+
                (($($name.0,)+), ($($name.1,)+))
            }
        })*
    };
}
captures! {
    A;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
}

/// Maximum number of captures of a function that is an argument of a kernel.
pub const MAX_CAPTURES: usize = 12;

macro_rules! copied {
    ($($variant:ident = $rust:ty => $element:ident),*) => {
        $(impl Part for $rust {
            fn split(self, _cut: &[i32]) -> (Self, Self) {
                (self, self)
            }
        })*
    };
}
for_each_element!(copied);

impl<T: Copy + Send, const N: usize> Part for [T; N] {
    fn split(self, _cut: &[i32]) -> (Self, Self) {
        (self, self)
    }
}
