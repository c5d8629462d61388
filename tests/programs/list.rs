// Written by `UPDATE_EXPECT=1 cargo test --test programs`.

programs! {
}
