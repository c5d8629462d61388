"""Drives the installed kernel as a front end does: python3 drive.py, with JUPYTER_PATH set. Prints what it found wrong."""

import sys

import psutil
from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(kernel_name="quasar")
wrong = []


def expect(what, found, wanted):
    if not wanted(found):
        wrong.append(f"{what}: {found!r}")


def run(text, after=None):
    """Runs a cell: the status, and its outputs as pairs of a kind and contents. `after` is called when the first one is there."""
    outputs = []

    def output(message):
        nonlocal after
        outputs.append((message["msg_type"], message["content"]))
        if after and message["msg_type"] == "stream":
            after()
            after = None

    reply = client.execute_interactive(text, output_hook=output, timeout=60)
    return reply["content"], outputs


def printed(outputs, name="stdout"):
    return "".join(content["text"] for kind, content in outputs if kind == "stream" and content["name"] == name)


try:
    reply, outputs = run("x = 3\nprint \"one\"\nx + 1")
    expect("a cell", (reply["status"], printed(outputs)), lambda found: found == ("ok", "one\n4\n"))
    reply, outputs = run("x * 2")
    expect("the next one", printed(outputs), lambda found: found == "6\n")

    reply, outputs = run("print 7\ny = rand(2)[x]")
    expect("an error", reply["status"], lambda found: found == "error")
    expect("its place", reply["traceback"], lambda found: "Error: In [3] - line 2: index out of bounds" in found[0] and "  |     ^" in found[4])
    expect("what was printed before", printed(outputs), lambda found: found == "7\n")

    reply, outputs = run("plot([1,2,3])")
    figures = [content["data"] for kind, content in outputs if kind == "display_data"]
    expect("figures", len(figures), lambda found: found == 1)
    expect("a figure", figures[0].get("image/svg+xml", "") if figures else "", lambda found: found.startswith("<svg"))

    # An endless cell; what it assigned before is not kept.
    reply, outputs = run('print "begun"\nx = 5\nwhile true\nend', after=manager.interrupt_kernel)
    expect("an interrupt", (reply["status"], reply.get("evalue")), lambda found: found[0] == "error" and "interrupted" in found[1])
    for _ in range(5):
        reply, outputs = run('print "begun"\nwhile true\nend', after=manager.interrupt_kernel)
        expect("interrupts again", reply.get("evalue"), lambda found: "interrupted" in found)
    reply, outputs = run("x")
    expect("the session behind it", printed(outputs), lambda found: found == "3\n")

    reply, outputs = run("for k = 1..2000\n  print k\nend")
    expect("much output", printed(outputs).split(), lambda found: found == [str(k) for k in range(1, 2001)])

    def answer(message_id):
        while True:
            reply = client.get_shell_msg(timeout=60)
            if reply["parent_header"]["msg_id"] == message_id:
                return reply["content"]

    found = answer(client.complete("x + sqr", 7))
    expect("completion", (found["matches"], found["cursor_start"]), lambda found: found == (["sqrt"], 4))
    found = answer(client.inspect("x + sin(1)", 5))
    expect("inspection", found["data"].get("text/plain", ""), lambda found: "Sine" in found)
    found = answer(client.is_complete("for k = 1..2"))
    expect("an open block", found["status"], lambda found: found == "incomplete")

    for child in psutil.Process(manager.provisioner.pid).children():
        child.kill()
    reply, outputs = run("x")
    expect("a lost session", (reply["status"], reply.get("evalue")), lambda found: found[0] == "error" and "the session has ended" in found[1])
    reply, outputs = run("1 + 1")
    expect("a new session", printed(outputs), lambda found: found == "2\n")

    manager.restart_kernel(now=False)
    client.wait_for_ready(timeout=60)
    reply, outputs = run("x")
    expect("a restart", reply["status"], lambda found: found == "error")
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=False)
for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)
