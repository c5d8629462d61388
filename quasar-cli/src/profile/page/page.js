"use strict";
(() => {
    const all = (query, root = document) => [...root.querySelectorAll(query)];
    const data = JSON.parse(document.getElementById("data").textContent);
    const time = ns => {
        const units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
        const [size, unit] = units.find(([size]) => Math.abs(ns) >= size) || units[3];
        return `${Number((ns / size).toPrecision(4))} ${unit}`;
    };
    const size = bytes => {
        const units = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];
        const [factor, unit] = units.find(([factor]) => bytes >= factor) || units[3];
        return `${Number((bytes / factor).toPrecision(4))} ${unit}`;
    };

    // The table: sorted by a click on a title, numbers from the largest on.
    const table = document.getElementById("table");
    const value = (row, column) => {
        const cell = row.cells[column];
        return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
    };
    if (table) all("th", table).forEach((title, column) => title.addEventListener("click", () => {
        const number = title.classList.contains("num");
        const down = title.classList.contains("down") ? false : title.classList.contains("up") ? true : number;
        all("th", table).forEach(each => each.classList.remove("up", "down"));
        title.classList.add(down ? "down" : "up");
        const rows = all("tbody tr", table).sort((a, b) => {
            const [x, y] = [value(a, column), value(b, column)];
            return (down ? -1 : 1) * (number ? x - y : x.localeCompare(y));
        });
        table.tBodies[0].append(...rows);
    }));

    // The timeline. Calls of a lane that lie in each other stand below each other.
    const view = document.getElementById("lanes");
    if (!view) return;
    const LEFT = 190, ROW = 18, GAP = 8, TOP = 24;
    const lanes = data.order.map(number => ({ name: data.lanes[number], events: [], depth: 1 }));
    data.order.forEach((number, k) => {
        const lane = lanes[k], open = [];
        const events = data.events.filter(event => event[0] === number);
        events.sort((a, b) => a[2] - b[2] || b[3] - a[3]);
        for (const [, thing, start, length, bytes] of events) {
            while (open.length && open[open.length - 1] < start + length) open.pop();
            lane.events.push({ thing, start, length, bytes, depth: open.length });
            open.push(start + length);
            lane.depth = Math.max(lane.depth, open.length);
        }
    });
    let y = TOP;
    for (const lane of lanes) {
        lane.y = y;
        y += lane.depth * ROW + GAP;
    }
    const height = y + 4, end = Math.max(1, data.wall, ...data.events.slice(-1000).map(event => event[2] + event[3]));
    let [from, to] = [0, end];

    const namespace = view.firstElementChild.namespaceURI;
    const made = (name, attributes, text) => {
        const element = document.createElementNS(namespace, name);
        for (const key in attributes) element.setAttribute(key, attributes[key]);
        if (text !== undefined) element.textContent = text;
        return element;
    };
    const shown = [];
    const draw = () => {
        const width = Math.max(480, view.clientWidth), inside = width - LEFT - 8;
        const x = at => LEFT + (at - from) / (to - from) * inside;
        const svg = made("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "timeline" });
        const raw = (to - from) / 7, decade = 10 ** Math.floor(Math.log10(raw));
        const step = [1, 2, 5, 10].map(k => k * decade).find(k => k >= raw);
        for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
            svg.append(made("line", { class: "grid", x1: x(at), x2: x(at), y1: TOP - 4, y2: height }));
            svg.append(made("text", { class: "tick", x: x(at), y: 14, "text-anchor": "middle" }, time(at)));
        }
        shown.length = 0;
        for (const lane of lanes) {
            // Calls narrower than a pixel become one mark, of the kind of the longest.
            const last = [];
            for (const event of lane.events) {
                if (event.start + event.length < from || event.start > to) continue;
                const left = Math.max(LEFT, x(event.start)), right = Math.min(width, x(event.start + event.length));
                const before = last[event.depth];
                if (before && right < before.right + 1 && right - left < 1) {
                    before.calls.push(event);
                    if (event.length > before.longest.length) before.longest = event;
                    continue;
                }
                last[event.depth] = { left, right: Math.max(right, left + 1), y: lane.y + event.depth * ROW, calls: [event], longest: event };
                shown.push(last[event.depth]);
            }
        }
        for (const mark of shown) {
            const thing = data.things[mark.longest.thing];
            const rect = made("rect", { class: thing.kind, x: mark.left, y: mark.y, width: mark.right - mark.left, height: ROW - 3, rx: mark.right - mark.left > 6 ? 2 : 0 });
            rect.mark = mark;
            svg.append(rect);
            const letters = Math.floor((mark.right - mark.left - 6) / 6.8);
            if (mark.calls.length === 1 && letters > 3) {
                const text = thing.name.length > letters ? thing.name.slice(0, letters - 1) + "\u2026" : thing.name;
                svg.append(made("text", { class: "inside", x: mark.left + 4, y: mark.y + 11.5 }, text));
            }
        }
        svg.append(made("rect", { class: "cover", x: 0, y: TOP - 4, width: LEFT - 1, height }));
        for (const lane of lanes) {
            const text = lane.name.length > 26 ? lane.name.slice(0, 12) + "\u2026" + lane.name.slice(-13) : lane.name;
            const label = made("text", { class: "lane", x: 12, y: lane.y + 12 }, text);
            label.append(made("title", {}, lane.name));
            svg.append(label);
        }
        view.replaceChildren(svg);
        document.getElementById("range").textContent = `${time(from)} to ${time(to)}`;
    };

    const zoom = (factor, around) => {
        if (factor === 0) [from, to] = [0, end];
        else {
            const span = Math.min(end, Math.max(10, (to - from) * factor));
            const part = (around - from) / (to - from);
            from = Math.max(0, Math.min(end - span, around - part * span));
            to = from + span;
        }
        draw();
    };
    const at = event => {
        const box = view.getBoundingClientRect();
        return from + Math.max(0, event.clientX - box.left - LEFT) / (box.width - LEFT - 8) * (to - from);
    };
    const move = part => {
        const span = to - from;
        from = Math.max(0, Math.min(end - span, from + part * span));
        to = from + span;
        draw();
    };
    all("[data-zoom]").forEach(each => each.addEventListener("click", () => zoom(Number(each.dataset.zoom), (from + to) / 2)));
    view.addEventListener("wheel", event => {
        event.preventDefault();
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(event.deltaX / 800);
        else zoom(event.deltaY > 0 ? 1.25 : 0.8, at(event));
    }, { passive: false });
    view.addEventListener("keydown", event => {
        const keys = { ArrowLeft: () => move(-.2), ArrowRight: () => move(.2), "+": () => zoom(.5, (from + to) / 2), "-": () => zoom(2, (from + to) / 2), "0": () => zoom(0) };
        if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
    });
    let dragged = null, far = 0;
    view.addEventListener("pointerdown", event => { dragged = event.clientX; far = 0; });
    window.addEventListener("pointerup", () => { dragged = null; });
    window.addEventListener("pointermove", event => {
        if (dragged === null) return;
        far += Math.abs(event.clientX - dragged);
        move((dragged - event.clientX) / (view.clientWidth - LEFT - 8));
        dragged = event.clientX;
    });

    // What a mark stands for, under the pointer, and its row and line after a click.
    const tip = document.createElement("div");
    tip.id = "tip";
    document.body.append(tip);
    view.addEventListener("pointermove", event => {
        const mark = event.target.mark;
        tip.style.display = mark ? "block" : "none";
        if (!mark) return;
        const call = mark.longest, thing = data.things[call.thing];
        const rate = call.bytes && call.length ? `, ${(call.bytes / call.length).toFixed(1)} GB/s` : "";
        tip.textContent = [
            `${thing.kind} ${thing.name}`, thing.place, thing.device,
            `${time(call.length)} from ${time(call.start)} on`, call.bytes ? size(call.bytes) + rate : "",
            mark.calls.length > 1 ? `the longest of ${mark.calls.length} calls here` : "",
        ].filter(Boolean).join("\n");
        tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
        tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
    });
    view.addEventListener("pointerleave", () => { tip.style.display = "none"; });
    view.addEventListener("click", event => {
        const mark = event.target.mark;
        if (!mark || far > 4) return;
        all(".on").forEach(each => each.classList.remove("on"));
        const row = document.getElementById(`row${data.things[mark.longest.thing].row}`);
        if (!row) return;
        row.classList.add("on");
        const link = row.querySelector("a[href]"), line = link && document.getElementById(link.getAttribute("href").slice(1));
        if (line) line.classList.add("on");
        row.scrollIntoView({ block: "center" });
    });
    window.addEventListener("resize", draw);
    draw();
})();
