//! The directives of the printf family.

use super::Value;
use super::error::ValueError;
use super::format::{exponent_text, general, joined, not_finite, print};
use super::text::TextBuf;

/// Wider fields and more digits are refused.
const MAX_FIELD: usize = 4096;

#[derive(Default)]
struct Directive {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    conversion: char,
}

/// What a letter behind a backslash stands for.
fn escaped(letter: char) -> char {
    match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        other => other,
    }
}

/// Formats `args` by the directives `%d %i %u %x %X %o %f %e %g %s %c %%` with C flags, width and precision. Arrays
/// and other values print as `print` writes them.
pub fn format(function: &str, text: &str, args: &[Value]) -> Result<String, ValueError> {
    let mut out = TextBuf::new();
    let mut args = args.iter();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\\' {
            out.push(rest.next_if(|c| "ntr\\\"".contains(*c)).map_or('\\', escaped));
            continue;
        }
        if c != '%' {
            out.push(c);
            continue;
        }
        if rest.next_if_eq(&'%').is_some() {
            out.push('%');
            continue;
        }
        let directive = parse(function, &mut rest, &mut args)?;
        let arg = args.next().ok_or_else(|| {
            ValueError::argument(function, format!("no argument for %{} in \"{text}\"", directive.conversion))
        })?;
        out.push_str(&convert(function, &directive, arg)?);
    }
    out.finish()
}

fn parse(
    function: &str,
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    args: &mut std::slice::Iter<'_, Value>,
) -> Result<Directive, ValueError> {
    let mut directive = Directive::default();
    while let Some(flag) = rest.next_if(|c| "-+ #0".contains(*c)) {
        match flag {
            '-' => directive.left = true,
            '+' => directive.plus = true,
            ' ' => directive.space = true,
            '#' => directive.alternate = true,
            _ => directive.zeros = true,
        }
    }
    let mut number =
        |rest: &mut std::iter::Peekable<std::str::Chars<'_>>| -> Result<Option<i64>, ValueError> {
            if rest.next_if_eq(&'*').is_some() {
                let n = args.next().and_then(Value::as_scalar).map(|x| x.as_i64());
                let n =
                    n.ok_or_else(|| ValueError::argument(function, "'*' takes a number from the arguments"))?;
                return Ok(Some(n));
            }
            let mut n = None;
            while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10)) {
                n = Some((n.unwrap_or(0) * 10 + i64::from(digit)).min(i64::from(u32::MAX)));
                rest.next();
            }
            Ok(n)
        };
    let width = number(rest)?.unwrap_or(0);
    directive.left |= width < 0;
    directive.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
    if rest.next_if_eq(&'.').is_some() {
        directive.precision = usize::try_from(number(rest)?.unwrap_or(0)).ok();
    }
    while rest.next_if(|c| "lhzjtL".contains(*c)).is_some() {}
    directive.conversion =
        rest.next().ok_or_else(|| ValueError::argument(function, "the format ends after %"))?;
    if directive.width > MAX_FIELD || directive.precision.is_some_and(|p| p > MAX_FIELD) {
        return Err(ValueError::argument(function, format!("a field has at most {MAX_FIELD} characters")));
    }
    Ok(directive)
}

fn convert(function: &str, directive: &Directive, arg: &Value) -> Result<String, ValueError> {
    let number = arg.as_scalar().filter(|x| !x.element_type().is_complex());
    let body = match (directive.conversion, number) {
        ('d' | 'i' | 'u', Some(x)) if x.element_type().is_integer() => {
            let digits = print(&Value::Scalar(x));
            signed(directive, digits.starts_with('-'), &at_least(directive, digits.trim_start_matches('-')))
        }
        ('d' | 'i' | 'u', Some(x)) if x.as_f64().fract() == 0.0 && x.as_f64().abs() < 1e18 => {
            let digits = x.as_i64().unsigned_abs().to_string();
            signed(directive, x.as_i64() < 0, &at_least(directive, &digits))
        }
        ('x', Some(x)) => prefixed(directive, "0x", &format!("{:x}", bits(x))),
        ('X', Some(x)) => prefixed(directive, "0X", &format!("{:X}", bits(x))),
        ('o', Some(x)) => prefixed(directive, "0", &format!("{:o}", bits(x))),
        ('f' | 'F' | 'e' | 'E' | 'g' | 'G', Some(x)) => return Ok(float(directive, x.as_f64())),
        ('c', Some(x)) => {
            u32::try_from(x.as_i64()).ok().and_then(char::from_u32).unwrap_or('\u{fffd}').to_string()
        }
        ('s' | 'c', _) => {
            let text = joined(std::slice::from_ref(arg))?;
            match directive.precision {
                Some(p) => text.chars().take(p).collect(),
                None => text,
            }
        }
        ('d' | 'i' | 'u' | 'x' | 'X' | 'o' | 'f' | 'F' | 'e' | 'E' | 'g' | 'G', _) => {
            joined(std::slice::from_ref(arg))?
        }
        (other, _) => return Err(ValueError::argument(function, format!("unknown directive %{other}"))),
    };
    if directive.width == 0 {
        return Ok(body);
    }
    let zeros = directive.zeros && directive.precision.is_none() && "diuxXo".contains(directive.conversion);
    Ok(pad(directive, &body, zeros && number.is_some()))
}

fn bits(x: crate::element::Scalar) -> u64 {
    match x.element_type().bits() {
        _ if x.element_type().is_float() => x.as_i64() as u64,
        64 => match x {
            crate::element::Scalar::U64(x) => x,
            x => x.as_i64() as u64,
        },
        n => x.as_i64() as u64 & ((1 << n) - 1),
    }
}

fn prefixed(directive: &Directive, prefix: &str, digits: &str) -> String {
    let prefix = if directive.alternate && digits != "0" { prefix } else { "" };
    format!("{prefix}{}", at_least(directive, digits))
}

/// Leading zeros up to the precision.
fn at_least(directive: &Directive, digits: &str) -> String {
    let missing = directive.precision.unwrap_or(0).saturating_sub(digits.len());
    "0".repeat(missing) + digits
}

fn signed(directive: &Directive, negative: bool, digits: &str) -> String {
    let sign = match (negative, directive.plus, directive.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (.., true) => " ",
        _ => "",
    };
    format!("{sign}{digits}")
}

fn float(directive: &Directive, x: f64) -> String {
    if let Some(text) = not_finite(x) {
        let body = signed(directive, text.starts_with('-'), text.trim_start_matches('-'));
        return pad(directive, &body, false);
    }
    let precision = directive.precision.unwrap_or(6);
    let magnitude = x.abs();
    let digits = match directive.conversion {
        'f' | 'F' => format!("{magnitude:.precision$}"),
        'e' | 'E' => {
            let text = format!("{magnitude:.precision$e}");
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            format!("{mantissa}{}", exponent_text(exponent.parse().unwrap_or(0)))
        }
        _ => general(magnitude, precision, directive.alternate),
    };
    let digits = if directive.conversion.is_ascii_uppercase() { digits.to_uppercase() } else { digits };
    let negative = x.is_sign_negative();
    pad(directive, &signed(directive, negative, &digits), directive.zeros)
}

/// Fills up to the width: on the right, with zeros after the sign, or on the left.
fn pad(directive: &Directive, body: &str, zeros: bool) -> String {
    let missing = directive.width.saturating_sub(body.chars().count());
    if directive.left {
        return format!("{body}{}", " ".repeat(missing));
    }
    if !zeros {
        return format!("{}{body}", " ".repeat(missing));
    }
    let after_prefix = body.find(|c: char| !"+- ".contains(c)).unwrap_or(0);
    let after_prefix = if body[after_prefix..].starts_with("0x") || body[after_prefix..].starts_with("0X") {
        after_prefix + 2
    } else {
        after_prefix
    };
    let (sign, digits) = body.split_at(after_prefix);
    format!("{sign}{}{digits}", "0".repeat(missing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Scalar;

    #[test]
    fn directives_follow_c() {
        let int = Value::int(-42);
        let pi = Value::Scalar(Scalar::F64(std::f64::consts::PI));
        let cases: &[(&str, &[Value], &str)] = &[
            (
                "%d|%5d|%-5d|%05d|%+d",
                &[int.clone(), int.clone(), int.clone(), int.clone(), Value::int(7)],
                "-42|  -42|-42  |-0042|+7",
            ),
            ("%i%% of %u", &[Value::int(5), Value::int(9)], "5% of 9"),
            ("%x %#X %o", &[Value::int(255), Value::int(255), Value::int(8)], "ff 0XFF 10"),
            ("%x", &[Value::int(-1)], "ffffffff"),
            (
                "%f %.2f %8.3f|%-8.1f|%08.2f",
                &[pi.clone(), pi.clone(), pi.clone(), pi.clone(), pi.clone()],
                "3.141593 3.14    3.142|3.1     |00003.14",
            ),
            ("%e %.1e", &[pi.clone(), Value::Scalar(Scalar::F64(12345.0))], "3.141593e+00 1.2e+04"),
            (
                "%g %g %.3g",
                &[Value::Scalar(Scalar::F64(0.0001)), Value::Scalar(Scalar::F64(1e-5)), pi.clone()],
                "0.0001 1e-05 3.14",
            ),
            (
                "%s %5s|%-5s|%.2s",
                &[Value::from("a"), Value::from("ab"), Value::from("ab"), Value::from("abc")],
                "a    ab|ab   |ab",
            ),
            ("%c%c", &[Value::int(65), Value::from("b")], "Ab"),
            ("%d", &[Value::Scalar(Scalar::F32(3.0))], "3"),
            ("%d", &[Value::Scalar(Scalar::F32(2.5))], "2.5"),
            ("%*d", &[Value::int(4), Value::int(1)], "   1"),
            ("%s", &[Value::cell(vec![Value::int(1), Value::from("x")])], "{1,\"x\"}"),
            ("%f", &[Value::Scalar(Scalar::F64(f64::NEG_INFINITY))], "-Inf"),
            ("%05.1f", &[Value::Scalar(Scalar::F64(-0.5))], "-00.5"),
        ];
        for (text, args, expected) in cases {
            assert_eq!(format("sprintf", text, args).as_deref(), Ok(*expected), "{text}");
        }
    }

    #[test]
    fn wrong_formats_are_errors() {
        let one = [Value::int(1)];
        for text in ["%d %d", "%", "%5", "%q", "%99999d", "%.99999f"] {
            assert!(format("sprintf", text, &one).is_err(), "{text}");
        }
    }
}
