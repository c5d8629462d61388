//! Formats of `sprintf` with any values, configuration files and settings.

use crate::bytes::Bytes;
use crate::memory::limited;
use quasar_devicelib::settings::read_config;
use quasar_devicelib::value::printf;
use quasar_runtime::settings::Settings;

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    match bytes.below(4) {
        0 => {
            let text = bytes.text();
            drop(read_config(&text));
            drop(Settings::default().load_file(&text));
        }
        1 => {
            let mut compiler = quasar_core::settings::Settings::default();
            let (file, value) = (bytes.text(), bytes.text());
            drop(compiler.load(Some(&file), |_| Some(value.clone())));
            drop(Settings::default().load_environment(|_| Some(value.clone())));
        }
        _ => {
            let format = bytes.text();
            let args: Vec<_> = (0..bytes.below(4)).map(|_| bytes.value()).collect();
            limited(1 << 24, || drop(printf::format("sprintf", &format, &args)));
        }
    }
}
