//! Filters that are written in Quasar, in the file `filter.q`.

quasar::quasar_file!("src/filter.q");
