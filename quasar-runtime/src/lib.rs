//! The Quasar run-time system.
