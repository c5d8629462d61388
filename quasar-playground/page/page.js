// The playground: an editor over a text that is coloured, one worker that checks it and one that runs it. The interpreter is a module of
// WebAssembly; it and the photographs come as scripts with texts in base64, so that the page works from a folder as well, without a server.
"use strict";

const byId = (id) => document.getElementById(id);
const [code, shown, numbers, said, output, state] = ["code", "shown", "numbers", "said", "output", "state"].map(byId);

// ---- what scripts beside this one bring

/** Called by those scripts: `module` gives the interpreter, `file` a photograph. */
const playground = {
    names: [],
    files: new Map(),
    module: (text) => begin(text),
    file: (name, text) => playground.files.get(name).found(bytes(text)),
};
window.playground = playground;

function bytes(base64) {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

async function unpacked(packed) {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

function load(name) {
    const script = document.createElement("script");
    script.src = name;
    script.onerror = () => show("The file " + name + " beside this page cannot be loaded.", "error");
    document.head.append(script);
}

/** The photograph of a name, which is loaded when a program speaks of it. */
function photograph(name) {
    let entry = playground.files.get(name);
    if (!entry) {
        entry = {};
        entry.contents = new Promise((found) => { entry.found = found; });
        playground.files.set(name, entry);
        load("files/" + name + ".js");
    }
    return entry.contents;
}

// ---- workers

/** Runs in a worker: calls the module, and sends what it says. It is written into a blob, so it knows nothing of this file. */
function inWorker() {
    let module, held = "", sent = 0, at = 0, panic = "", answer = "";
    const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
    function release() {
        if (held) postMessage({ what: "printed", text: held });
        [held, at, sent] = ["", performance.now(), sent + 1];
    }
    const kinds = [
        (bytes) => { answer = decoder.decode(bytes); },
        (bytes) => {
            held += decoder.decode(bytes);
            // Few texts go at once; many go together.
            if (sent < 100 || performance.now() - at > 50) release();
        },
        (bytes) => { release(); postMessage({ what: "figure", figure: JSON.parse(decoder.decode(bytes)) }); },
        (bytes) => {
            const name = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
            release();
            postMessage({ what: "file", name: decoder.decode(bytes.subarray(4, name)), contents: bytes.slice(name) });
        },
        (bytes) => { panic = decoder.decode(bytes); },
    ];
    const page = {
        said: (kind, start, length) => kinds[kind](new Uint8Array(module.memory.buffer, start, length)),
        now: () => performance.now(),
        tick: () => { if (held && performance.now() - at > 50) release(); },
    };
    function put(bytes) {
        // The memory may be another one behind this call.
        const place = module.reserve(bytes.length);
        new Uint8Array(module.memory.buffer, place, bytes.length).set(bytes);
    }
    const work = {
        async module({ compiled }) {
            const imports = { page };
            // What packages declare for browsers, and nothing here calls.
            for (const { module: from, name } of WebAssembly.Module.imports(compiled)) {
                imports[from] ??= {};
                imports[from][name] ??= () => { throw new Error(name + " is not there"); };
            }
            module = (await WebAssembly.instantiate(compiled, imports)).exports;
            module.begin();
        },
        examples: () => module.list_examples(),
        check({ text }) { put(encoder.encode(text)); module.check(); },
        run({ text, files, seed }) {
            for (const [name, contents] of files) {
                const first = encoder.encode(name);
                const both = new Uint8Array(first.length + contents.length);
                both.set(first);
                both.set(contents, first.length);
                put(both);
                module.add_file(first.length);
            }
            put(encoder.encode(text));
            sent = 0;
            module.run_program(seed);
            release();
        },
    };
    let before = Promise.resolve();
    onmessage = ({ data }) => {
        before = before.then(async () => {
            answer = "null";
            const begun = performance.now();
            try {
                await work[data.what](data);
            } catch (error) {
                release();
                const deep = error instanceof RangeError ? "the program is nested too deeply for this browser" : "";
                postMessage({ what: "died", of: data.what, why: deep || panic || String(error) });
                return;
            }
            postMessage({ what: "answer", of: data.what, answer: JSON.parse(answer), took: performance.now() - begun });
        });
    };
}

/** A worker that is asked one question at a time, and is started anew when it died or was stopped. */
class Worker1 {
    constructor(compiled, say) {
        Object.assign(this, { compiled, say });
        this.start();
    }

    start() {
        Worker1.source ??= URL.createObjectURL(new Blob(["(" + inWorker + ")()"], { type: "text/javascript" }));
        this.worker = new Worker(Worker1.source);
        this.worker.onmessage = ({ data }) => {
            if (data.what === "answer") this.done(data);
            // One that cannot start would not start again.
            else if (data.what === "died" && data.of === "module") this.done({ ...data, of: "start" });
            else if (data.what === "died") this.stop(data);
            else this.say?.(data);
        };
        this.worker.postMessage({ what: "module", compiled: this.compiled });
        this.waiting = null;
    }

    done(data) {
        if (data.of === "module" || !this.waiting) return;
        const { found } = this.waiting;
        this.waiting = null;
        found(data);
    }

    ask(question) {
        return new Promise((found) => {
            this.waiting = { found };
            this.worker.postMessage(question);
        });
    }

    stop(why) {
        const waiting = this.waiting;
        this.worker.terminate();
        this.start();
        waiting?.found(why);
    }
}

let checker, runner;

async function begin(packed) {
    try {
        const compiled = await WebAssembly.compile(await unpacked(bytes(packed)));
        checker = new Worker1(compiled);
        runner = new Worker1(compiled, happened);
    } catch (error) {
        return show("The interpreter cannot start in this browser: " + error, "error");
    }
    const { answer, why } = await checker.ask({ what: "examples" });
    if (!answer) return show("The interpreter cannot start in this browser: " + why, "error");
    list(answer);
    if (!given() && !kept()) choose("0");
    byId("run").disabled = false;
    show("Ctrl+Enter runs the program.");
    check();
}

// ---- the editor

// `ends` is the place of the error that ended the last run, until the text changes.
let tokens = [], marks = [], ends = [], drawn = "";

/** How two texts differ: the same units in front and behind. */
function difference(old, now) {
    const most = Math.min(old.length, now.length);
    let front = 0, behind = 0;
    while (front < most && old[front] === now[front]) front++;
    while (behind < most - front && old[old.length - 1 - behind] === now[now.length - 1 - behind]) behind++;
    return { front, behind };
}

/** Until the text is checked again, its pieces keep their classes. */
function move(old, now) {
    const { front, behind } = difference(old, now);
    const [last, by] = [old.length - behind, now.length - old.length];
    const moved = (place) => (place <= front ? place : place >= last ? place + by : Math.min(place, now.length - behind));
    const piece = ([start, length, kind]) => [moved(start), moved(start + length) - moved(start), kind];
    tokens = tokens.map(piece).filter(([, length]) => length > 0);
    marks = marks.map(piece).filter(([, length]) => length > 0);
}

const escaped = (text) => text.replace(/[&<]/g, (letter) => (letter === "&" ? "&amp;" : "&lt;"));

/** The text in colours. Marks are ranges around tokens and parts of them. */
function draw() {
    const text = code.value;
    const cuts = new Set([0, text.length]);
    for (const [start, length] of [...tokens, ...marks]) cuts.add(start).add(start + length);
    const places = [...cuts].filter((place) => place <= text.length).sort((a, b) => a - b);
    let [html, token] = ["", 0];
    for (let k = 0; k + 1 < places.length; k++) {
        const [start, end] = [places[k], places[k + 1]];
        while (token < tokens.length && tokens[token][0] + tokens[token][1] <= start) token++;
        const inside = token < tokens.length && tokens[token][0] <= start ? tokens[token][2] : "";
        const mark = marks.find(([from, length]) => from <= start && start < from + length);
        let piece = escaped(text.slice(start, end));
        if (inside) piece = `<span class="${inside}">${piece}</span>`;
        if (mark) piece = `<i class="${mark[2]}">${piece}</i>`;
        html += piece;
    }
    // A line without letters has no height of its own.
    shown.innerHTML = html + "\n";
    const worst = new Map();
    for (const [start, , kind] of marks) {
        const line = text.slice(0, start).split("\n").length;
        if (worst.get(line) !== "error") worst.set(line, kind);
    }
    const count = text.split("\n").length;
    numbers.innerHTML = Array.from({ length: count }, (_, k) => `<b class="${worst.get(k + 1) ?? ""}">${k + 1}</b>`).join("");
}

function edited() {
    move(drawn, code.value);
    ends = [];
    drawn = code.value;
    draw();
    keep();
    clearTimeout(edited.timer);
    edited.timer = setTimeout(check, Math.min(1000, Math.max(60, 2 * check.took)));
}

function put(text) {
    code.value = text;
    [tokens, marks, ends, drawn] = [[], [], [], text];
    draw();
    keep();
    check();
}

/** Checks the text, unless it is being checked; then once more behind that. */
async function check() {
    if (!checker || check.busy) {
        check.again = Boolean(checker);
        return;
    }
    [check.busy, check.again] = [true, false];
    const text = code.value;
    const timer = setTimeout(() => checker.stop({ what: "died", why: "the compiler takes more than ten seconds for this program" }), 10000);
    const data = await checker.ask({ what: "check", text });
    clearTimeout(timer);
    check.busy = false;
    if (data.what === "died") {
        tell([{ kind: "error", text: data.why, code: "", excerpt: "" }]);
    } else {
        check.took = data.took;
        if (text === code.value) {
            tokens = data.answer.tokens;
            tell(data.answer.messages);
        }
    }
    if (check.again) check();
}
check.took = 0;

const headings = { error: "Error", warning: "Warning", hint: "Slow" };

/** Shows messages below the text, and marks their places. */
function tell(messages) {
    const placed = messages.filter((message) => message.start !== undefined);
    // What has no length is marked at one letter.
    const { top, bottom, height } = cursor();
    marks = placed.map((message) => [message.start, Math.max(1, message.length), message.kind]).concat(ends);
    draw();
    const buttons = messages.map((message) => {
        const button = document.createElement("button");
        button.className = "message " + message.kind;
        const place = message.line ? `, line ${message.line}` : "";
        button.innerHTML = `<b>${headings[message.kind]}${place}:</b> ${escaped(message.text)} <span class="code">${escaped(message.code)}</span>`;
        const excerpt = message.excerpt.split("\n").slice(1).join("\n").trimEnd();
        if (excerpt) {
            const pre = document.createElement("pre");
            pre.textContent = excerpt;
            button.append(pre);
        }
        button.onclick = () => select(message);
        return button;
    });
    // What is slow where it is compiled matters less here.
    const hints = buttons.filter((button) => button.classList.contains("hint"));
    said.replaceChildren(...buttons.filter((button) => !hints.includes(button)));
    if (hints.length) {
        const [details, summary] = [document.createElement("details"), document.createElement("summary")];
        summary.textContent = hints.length === 1 ? "1 hint about speed" : hints.length + " hints about speed";
        details.append(summary, ...hints);
        said.append(details);
    }
    // The list may cover the line that is being written.
    if (document.activeElement === code && top >= 0 && bottom <= height + 8) reveal();
}

/** The top and the bottom of the line of the cursor, from the top of what is in sight. */
function cursor() {
    const line = code.value.slice(0, code.selectionStart).split("\n").length;
    const [box, row] = [byId("scroll"), numbers.children[line - 1]];
    const top = (row?.offsetTop ?? 0) - box.scrollTop;
    return { top, bottom: top + (row?.offsetHeight ?? 0), height: box.clientHeight };
}

function reveal() {
    const { top, bottom, height } = cursor();
    if (top < 0) byId("scroll").scrollTop += top;
    else if (bottom > height) byId("scroll").scrollTop += bottom - height + 8;
}

function select({ start, length }) {
    if (start === undefined) return;
    code.focus({ preventScroll: true });
    code.setSelectionRange(start, start + length);
    reveal();
}

// `execCommand` is the one way to type that can be undone.
const type = (text) => document.execCommand("insertText", false, text);

code.addEventListener("input", edited);
code.addEventListener("keydown", (event) => {
    const { key } = event;
    if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        return run();
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Escape and then Tab leaves the editor.
    if (key === "Tab" && !event.shiftKey && !code.leaving) {
        event.preventDefault();
        type("    ");
    } else if (key === "Enter") {
        const line = code.value.slice(0, code.selectionStart).split("\n").pop();
        const indent = line.match(/^[ \t]*/)[0];
        if (indent) {
            event.preventDefault();
            type("\n" + indent);
        }
    }
    code.leaving = key === "Escape";
});

// ---- runs

let begun = 0, printed = null;

function show(text, kind = "") {
    state.textContent = text;
    state.className = kind;
}

function figure(source, words, name, small) {
    const element = document.createElement("figure");
    const picture = document.createElement("img");
    picture.alt = words;
    picture.src = source;
    // Small pictures are shown in whole multiples of their pixels.
    picture.onload = () => {
        const width = picture.naturalWidth;
        if (small && width < 200) {
            picture.style.width = width * Math.floor(256 / width) + "px";
            picture.style.imageRendering = "pixelated";
        }
    };
    const caption = document.createElement("figcaption");
    caption.append(words + " · ", link(source, name));
    element.append(picture, caption);
    printed = null;
    output.append(element);
}

function link(source, name) {
    const element = document.createElement("a");
    Object.assign(element, { href: source, download: name, textContent: "save" });
    return element;
}

const pictures = { png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif", bmp: "image/bmp", webp: "image/webp" };

/** What the running program does. */
function happened(data) {
    if (data.what === "printed") {
        if (!printed) {
            printed = document.createElement("pre");
            output.append(printed);
        }
        printed.append(data.text);
    } else if (data.what === "figure") {
        const { number, svg, loss } = data.figure;
        const source = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
        figure(source, `figure ${number}` + (loss ? ` (${loss})` : ""), `figure-${number}.svg`, true);
    } else if (data.what === "file") {
        const type = pictures[data.name.split(".").pop().toLowerCase()];
        const source = URL.createObjectURL(new Blob([data.contents], { type: type ?? "application/octet-stream" }));
        if (type) return figure(source, data.name, data.name, true);
        const line = document.createElement("p");
        line.append(`${data.name}, ${data.contents.length} bytes · `, link(source, data.name));
        output.append(line);
    }
}

function failed(text) {
    const element = document.createElement("pre");
    element.className = "failed";
    element.textContent = text.trimEnd();
    output.append(element);
}

const seconds = (from) => ((performance.now() - from) / 1000).toFixed(2) + " s";

/** Files of the page that the text speaks of, and those that the user added. */
async function files(text) {
    const own = [...added];
    const names = playground.names.filter((name) => text.includes(name) && !added.has(name));
    const found = await Promise.all(names.map(photograph));
    return own.concat(names.map((name, k) => [name, found[k]]));
}

async function run() {
    if (byId("run").disabled) return;
    for (const image of output.querySelectorAll("img")) URL.revokeObjectURL(image.src);
    output.replaceChildren();
    printed = null;
    marks = marks.filter((mark) => !ends.includes(mark));
    ends = [];
    draw();
    [byId("run").disabled, byId("stop").disabled] = [true, false];
    show("Running ..", "busy");
    begun = performance.now();
    const text = code.value;
    const seed = crypto.getRandomValues(new Uint32Array(1))[0];
    const data = await runner.ask({ what: "run", text, files: await files(text), seed });
    [byId("run").disabled, byId("stop").disabled] = [false, true];
    ended({ ...data, text });
}

function ended(data) {
    if (data.what === "died") {
        if (data.stopped) return show("Stopped after " + seconds(begun) + ".");
        failed("Error: " + data.why);
        return show("Ended by an error after " + seconds(begun) + ".", "error");
    }
    const { messages, error } = data.answer;
    if (messages.length) {
        tell(messages);
        return show("The program has errors; it does not run.", "error");
    }
    if (!error) return show("Done in " + seconds(begun) + ".");
    failed(error.excerpt ?? "Error: " + error.text);
    if (error.start !== undefined && data.text === code.value) {
        ends = [[error.start, Math.max(1, error.length), "error"]];
        marks = marks.concat(ends);
        draw();
    }
    show("Ended by an error after " + seconds(begun) + ".", "error");
}

byId("run").onclick = run;
byId("stop").onclick = () => runner.stop({ what: "died", stopped: true });

// ---- programs: examples, links, what was written last, files of the user

let programs = [];
const added = new Map();

function list({ groups, files }) {
    playground.names = files;
    for (const { name, examples } of groups) {
        const group = document.createElement("optgroup");
        group.label = name;
        for (const example of examples) {
            group.append(new Option(example.name, programs.length));
            programs.push(example.text);
        }
        byId("examples").append(group);
    }
}

function choose(number) {
    const text = programs[number];
    if (text === undefined) return;
    history.replaceState(null, "", location.pathname + location.search);
    put(text);
    byId("scroll").scrollTo(0, 0);
}

byId("examples").onchange = ({ target }) => {
    choose(target.value);
    target.value = "";
};

/** Texts in addresses: UTF-8 in base64 with `-` and `_`, without padding. The book makes the same. */
function packed(text) {
    const letters = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
    return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** Takes the program of the address, if there is one. */
function given() {
    const text = /^#code=([\w-]*)$/.exec(location.hash)?.[1];
    if (text === undefined) return false;
    try {
        put(new TextDecoder("utf-8", { fatal: true }).decode(bytes(text.replace(/-/g, "+").replace(/_/g, "/"))));
        return true;
    } catch {
        show("The program in this address is damaged.", "error");
        return false;
    }
}

// Browsers may refuse to keep anything, such as for pages from a folder.
function keep() {
    try { localStorage.setItem("quasar-program", code.value); } catch { /* It is gone with the page. */ }
}

function kept() {
    try {
        const text = localStorage.getItem("quasar-program");
        if (text) put(text);
        return Boolean(text);
    } catch {
        return false;
    }
}

byId("link").onclick = async () => {
    history.replaceState(null, "", "#code=" + packed(code.value));
    try {
        await navigator.clipboard.writeText(location.href);
        show("The link is copied; it holds the whole program.");
    } catch {
        show("The address of this page now holds the whole program.");
    }
};

byId("add").onclick = () => byId("chosen").click();
byId("chosen").onchange = async ({ target }) => {
    for (const file of target.files) added.set(file.name, new Uint8Array(await file.arrayBuffer()));
    show("Programs find the files " + [...added.keys()].map((name) => `"${name}"`).join(", ") + ".");
    target.value = "";
};

byId("scroll").addEventListener("click", ({ target }) => { if (target.id === "scroll") code.focus(); });
window.addEventListener("hashchange", given);
draw();
load("module.js");
