//! The procedural macros of Quasar.
