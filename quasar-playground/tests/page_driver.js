// Uses the page as a reader would, and sends what it sees to the test.
"use strict";
(async () => {
    const seen = { failed: null };
    window.onerror = (text) => { seen.failed = String(text); };
    const pause = (ms) => new Promise((done) => setTimeout(done, ms));
    const until = async (holds) => { while (!holds()) await pause(20); };
    const ended = () => until(() => !byId("run").disabled && !/Running|Loading/.test(state.textContent));
    async function runs(text) {
        await until(() => !byId("run").disabled);
        if (text !== undefined) put(text);
        byId("run").click();
        await ended();
        await Promise.all([...output.querySelectorAll("img")].map((image) => image.decode()));
        return output.innerText;
    }
    const example = (name) => {
        const option = [...byId("examples").options].find((each) => each.text === name);
        byId("examples").value = option.value;
        byId("examples").dispatchEvent(new Event("change"));
    };
    const figures = () => [...output.querySelectorAll("img")].filter((image) => image.naturalWidth > 0).length;
    try {
        seen.first = await runs();
        seen.firstState = state.textContent;
        seen.firstFigures = figures();
        await until(() => shown.querySelector(".keyword"));
        seen.colours = Boolean(shown.querySelector(".function") && shown.querySelector(".comment"));

        example("Mistakes");
        await until(() => shown.querySelector("i.error"));
        seen.marked = shown.querySelector("i.error").textContent;
        seen.message = said.querySelector(".message").textContent;
        seen.excerpt = said.querySelector("pre").textContent;

        put("print \"on and on\"\nk = 0\nwhile true\n    k += 1\nendwhile\n");
        byId("run").click();
        await until(() => output.textContent.includes("on and on"));
        await pause(300);
        byId("stop").click();
        await ended();
        seen.stopped = state.textContent;
        seen.endless = output.textContent;

        location.hash = "#code=" + packed("print 6 * 7\n");
        await until(() => code.value.includes("6 * 7"));
        seen.link = await runs();

        seen.runError = await runs("x = [1, 2, 3]\nprint x[int(sum(x))]\n");
        seen.runErrorLine = [...numbers.children].findIndex((line) => line.className === "error") + 1;

        example("A photograph");
        seen.photograph = await runs();
        seen.photographFigures = figures();

        // Deeper than any stack: an error, and the page goes on.
        await runs("print " + "(".repeat(5000) + "1" + ")".repeat(5000) + "\n");
        seen.deep = state.className;
        seen.afterDeep = await runs("print 1 + 2\n");
    } catch (error) {
        seen.failed = String(error);
    }
    await fetch("http://127.0.0.1:PORT/", { method: "POST", mode: "no-cors", body: JSON.stringify(seen) });
})();
