//! Pages that need nothing but themselves, and texts as parts of them.

/// A text that a page shows as it is, also inside of attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // No page may hold these, not even escaped.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A page. Nothing in it may come from elsewhere, which browsers are told.
pub(crate) fn page(title: &str, style: &str, body: &str, script: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         {body}<script>\n{script}</script>\n</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_the_text() {
        assert_eq!(
            escape("</script><b a='\"'>&\u{0}"),
            "&lt;/script&gt;&lt;b a=&#39;&quot;&#39;&gt;&amp;\u{fffd}"
        );
    }
}
