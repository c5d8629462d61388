//! A filter that makes photographs crisper. It is written in Quasar, in the file `sharpen.q`.

quasar::quasar_file!("src/sharpen.q");
