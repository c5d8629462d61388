// A link below each example of the book that is a whole program: it opens in the playground beside the book. `.ci/site` adds this script
// where it builds the playground; the address has the same form that the playground gives.
"use strict";
for (const code of document.querySelectorAll("pre > code.language-quasar")) {
    const letters = Array.from(new TextEncoder().encode(code.textContent), (byte) => String.fromCharCode(byte)).join("");
    const packed = btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
    const link = document.createElement("a");
    // `path_to_root` is what mdbook knows of the page.
    link.href = (typeof path_to_root === "undefined" ? "" : path_to_root) + "playground/index.html#code=" + packed;
    link.textContent = "open in the playground";
    link.style.cssText = "display: block; margin: -0.6em 0 1em; text-align: right; font-size: 0.85em";
    code.closest("pre").after(link);
}
