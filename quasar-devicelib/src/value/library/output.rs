//! Printing, errors and time.

use super::{ANY, Call, Function, function};
use crate::value::{ErrorKind, Value, ValueError, format};

pub(super) static FUNCTIONS: &[Function] = &[
    function("print", 0, ANY, |c| {
        c.host.print(&format::print_line(c.args)?)?;
        Ok(Vec::new())
    }),
    function("printf", 1, ANY, |c| {
        let text = c.formatted(0)? + "\n";
        c.host.print(&text)?;
        Ok(Vec::new())
    }),
    function("fprintf", 2, ANY, |c| {
        let text = c.formatted(1)?;
        c.host.write_file(&c.args[0], &text)?;
        Ok(Vec::new())
    }),
    function("error", 0, ANY, |c| {
        let formatted =
            if c.args.len() > 1 && c.args[0].as_text().is_some() { c.formatted(0).ok() } else { None };
        let text = match formatted {
            Some(text) => text,
            None => format::joined(c.args)?,
        };
        Err(ValueError::new(ErrorKind::User, text))
    }),
    function("tic", 0, 0, |c| {
        c.host.synchronize();
        c.host.state().timer = Some(c.host.now_ms());
        Ok(Vec::new())
    }),
    function("toc", 0, 1, toc),
];

fn toc(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let label = if c.args.is_empty() { None } else { Some(c.text(0)?.to_string()) };
    c.host.synchronize();
    let now = c.host.now_ms();
    let started =
        c.host.state().timer.ok_or_else(|| ValueError::argument("toc", "there was no tic() before"))?;
    let timed = &mut c.host.state().timed;
    *timed = Some(timed.unwrap_or(0.0) + (now - started));
    let elapsed = format::general(now - started, 7, false);
    match label.as_deref() {
        None => c.host.print(&format!("Elapsed time: {elapsed} ms\n"))?,
        Some("") => {}
        Some(label) => c.host.print(&format!("{label}: {elapsed} ms\n"))?,
    }
    let working = c.working();
    let elapsed = crate::element::Scalar::F64(now - started);
    let elapsed = crate::value::convert::convert_scalar(elapsed, working, crate::element::Overflow::Wrap)?;
    Ok(vec![Value::Scalar(elapsed)])
}
