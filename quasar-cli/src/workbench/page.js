"use strict";
(() => {
    const all = (query, root = document) => [...root.querySelectorAll(query)];
    const views = ["source", "functions", "passes", "code", "messages"];

    // One view at a time; without this script all stand below each other.
    document.body.classList.add("tabs");
    const show = view => {
        all("section").forEach(each => each.classList.toggle("on", each.id === view));
        all("header nav a").forEach(each => each.classList.toggle("on", each.dataset.view === view));
    };
    const follow = () => {
        const id = decodeURIComponent(location.hash.slice(1));
        const target = id && document.getElementById(id);
        const section = target && target.closest("section");
        show(section ? section.id : "source");
        if (target && !views.includes(id)) target.scrollIntoView();
        else window.scrollTo(0, 0);
    };
    window.addEventListener("hashchange", follow);

    // Types under the pointer.
    const tip = document.createElement("div");
    tip.id = "tip";
    document.body.append(tip);
    const open = event => {
        const name = event.target.closest && event.target.closest(".n");
        tip.style.display = name ? "block" : "none";
        if (!name) return;
        tip.textContent = name.dataset.t;
        const place = name.getBoundingClientRect(), own = tip.getBoundingClientRect();
        const below = place.bottom + 6 + own.height < innerHeight;
        tip.style.top = `${below ? place.bottom + 6 : place.top - own.height - 6}px`;
        tip.style.left = `${Math.max(8, Math.min(place.left, innerWidth - own.width - 8))}px`;
    };
    document.addEventListener("mouseover", open);
    document.addEventListener("focusin", open);

    // Reasons.
    const source = document.getElementById("source");
    const reasons = opened => all(".why", source).forEach(each => { each.open = opened && each.checkVisibility(); });
    all("[data-do=open]").forEach(each => each.addEventListener("click", () => reasons(true)));
    all("[data-do=close]").forEach(each => each.addEventListener("click", () => reasons(false)));
    all("[data-do=minor]").forEach(each => each.addEventListener("change", () => source.classList.toggle("minors", each.checked)));

    // Passes: those of one function, and those that changed nothing.
    const passes = document.getElementById("passes");
    all("[data-do=idle]").forEach(each => each.addEventListener("change", () => passes.classList.toggle("idles", each.checked)));
    all("[data-do=function]").forEach(each => each.addEventListener("change", () => {
        const apart = item => each.value && !item.dataset.f.split(" ").includes(each.value);
        all(".step, .pass, .change", passes).forEach(item => item.classList.toggle("away", Boolean(apart(item))));
    }));
    all("tbody.fold").forEach(fold => {
        const rows = [...fold.rows];
        if (rows.length < 2) return;
        const line = document.createElement("tr");
        line.className = "fold-line";
        const cell = line.insertCell();
        cell.colSpan = 4;
        cell.textContent = `${rows.length} equal lines`;
        rows.forEach(row => { row.hidden = true; });
        fold.prepend(line);
        line.addEventListener("click", () => { rows.forEach(row => { row.hidden = !row.hidden; }); });
    });

    // Code: a line of the source and what it became.
    const code = document.getElementById("code");
    all("[data-column]").forEach(each => each.addEventListener("change", () => {
        all(`[data-is=${each.dataset.column}]`, code).forEach(column => column.classList.toggle("away", !each.checked));
    }));
    const mark = (number, from) => {
        all(".mark", code).forEach(each => each.classList.remove("mark"));
        const inside = part => Number(part.dataset.a) <= number && number <= Number(part.dataset.b);
        const found = [
            ...all(`.cl[data-l="${number}"]`, code),
            ...all(".part[data-a]", code).filter(part => !part.querySelector("[data-l]") && inside(part)),
        ];
        found.forEach(each => each.classList.add("mark"));
        all(".column", code).filter(column => column !== from).forEach(column => {
            const first = found.find(each => column.contains(each));
            const text = column.querySelector(".text");
            if (first) text.scrollTo({ top: first.offsetTop - text.clientHeight / 3 });
        });
    };
    code.addEventListener("click", event => {
        const at = event.target.closest("[data-l], [data-a]");
        if (at) mark(Number(at.dataset.l || at.dataset.a), at.closest(".column"));
    });
    follow();
})();
