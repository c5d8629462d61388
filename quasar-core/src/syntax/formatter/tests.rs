//! What the formatter makes of single texts; `quasar-core/tests/formatter.rs` runs it over all programs.

use super::format;

#[track_caller]
fn becomes(text: &str, expected: &str) {
    let found = format(text).expect("no syntax errors");
    assert_eq!(found, expected);
    assert_eq!(format(&found).expect("still none"), expected, "formatted twice");
}

#[test]
fn blocks_are_indented() {
    becomes(
        "function y=f(x:int)\nif x>3\n  y=1\n elseif x==2\ny = 2\n   else\n  y=3\n endif\nendfunction\n",
        "function y = f(x : int)\n    if x > 3\n        y = 1\n    elseif x == 2\n        y = 2\n    else\n        y = 3\n    endif\nendfunction\n",
    );
    becomes(
        "type c:class\na:int\nb : vec\nendtype\nmatch 3 with\n| 1 ->\nprint 1\n| _ ->\n  print 2\nendmatch\n",
        "type c : class\n    a : int\n    b : vec\nendtype\nmatch 3 with\n| 1 ->\n    print 1\n| _ ->\n    print 2\nendmatch\n",
    );
    becomes("repeat\nx = 1\nuntil x==1\n", "repeat\n    x = 1\nuntil x == 1\n");
    becomes(
        "try\nx = 1\ncatch e:exception\nprint e\nendtry\n",
        "try\n    x = 1\ncatch e : exception\n    print e\nendtry\n",
    );
}

#[test]
fn arithmetic_stays_dense_or_wide() {
    becomes("x = a*b+ c -d\n", "x = a*b + c - d\n");
    becomes("y = x[m-1,n+1]*2\n", "y = x[m-1,n+1]*2\n");
    becomes("for i=0 ..n-1\nendfor\n", "for i = 0 .. n-1\nendfor\n");
    becomes("x = - 3 + -y\nprint -x, !y\n", "x = -3 + -y\nprint -x, !y\n");
    becomes(
        "type t : class\na : ^ int\nb:^^int\nendtype\n",
        "type t : class\n    a : ^int\n    b : ^^int\nendtype\n",
    );
    becomes("x = a?b:c\n", "x = a ? b : c\n");
    becomes("y = x[:,0] + x[ : , 1 ]\n", "y = x[:,0] + x[:, 1]\n");
    becomes("f=x ->x+1\ng=x->x\n", "f = x -> x+1\ng = x->x\n");
}

#[test]
fn comments_stay() {
    becomes("%top\n\n\n\n\nx = 1   % one\nyy = 2  % two\n", "%top\n\n\nx = 1   % one\nyy = 2  % two\n");
    becomes("x=1  % one\nyyy=2% two\n", "x = 1   % one\nyyy = 2 % two\n");
    becomes("x=1    % one\nyyy=2  % two\n", "x = 1    % one\nyyy = 2  % two\n");
    becomes(
        "if a\n  % inside\n  b = 1\n  % the end\nelse\n% outer\nendif\n% last\n",
        "if a\n    % inside\n    b = 1\n    % the end\nelse\n% outer\nendif\n% last\n",
    );
    becomes("print \"100 % sure\"\n", "print \"100 % sure\"\n");
}

#[test]
fn continued_lines_move_with_their_statement() {
    becomes(
        "if a\nm = [[1,  2], % first\n     [3, 40]]\nendif\n",
        "if a\n    m = [[1,  2], % first\n         [3, 40]]\nendif\n",
    );
    becomes("c=1+_  % on\n2\n", "c = 1+_  % on\n    2\n");
    becomes("x = f(1,\n2\n)\n", "x = f(1,\n    2\n)\n");
}

#[test]
fn attributes_and_cells_stay() {
    becomes("{!parallel for;  dim=2}\nx = { !y }\n", "{!parallel for;  dim=2}\nx = { !y }\n");
    becomes("a = {1,2}\nb = [ 1 , 2 ]\n", "a = {1,2}\nb = [1, 2]\n");
}

#[test]
fn errors_are_the_parsers() {
    let messages = format("x = (1\ny = 2\n").expect_err("a bracket is open");
    assert!(messages.iter().any(|message| message.category.is_error()));
}

#[test]
fn odd_files() {
    becomes("", "");
    becomes("\n\n", "");
    becomes("x = 1", "x = 1\n");
    becomes("\u{feff}x=1\r\ny=2\r\n", "x = 1\ny = 2\n");
    becomes("\tx = 1\n", "x = 1\n");
    becomes("% only", "% only\n");
}
