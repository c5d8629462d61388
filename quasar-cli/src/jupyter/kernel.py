"""The kernel of Quasar for Jupyter: hands cells to `quasar jupyter serve`, and what comes from there to the notebook.

`quasar jupyter install` puts this file beside its kernel.json; serve.rs describes the lines that go between both processes."""

import json
import os
import queue
import signal
import subprocess
import threading

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel

COMMAND = os.environ.get("QUASAR_COMMAND", "quasar")


class Ended(Exception):
    """The session has ended, or could not be started."""


class Served:
    """The process of a session."""

    def __init__(self):
        try:
            self.process = subprocess.Popen(
                [COMMAND, "jupyter", "serve"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # Jupyter's signals end here: an interrupt goes on as a request, and counts once.
                start_new_session=True,
            )
        except OSError as error:
            raise Ended(f"'{COMMAND}' cannot be started: {error}; `quasar jupyter install` renews its path") from None
        # Of a kind that a handler of signals may write to while it is read.
        self.events = queue.SimpleQueue()
        errors = threading.Thread(target=self.read_errors, daemon=True)
        errors.start()
        threading.Thread(target=self.read, args=(errors,), daemon=True).start()

    def read(self, errors):
        for line in self.process.stdout:
            self.events.put(json.loads(line))
        errors.join(1)
        self.events.put(None)

    def read_errors(self):
        for line in self.process.stderr:
            self.events.put({"event": "stream", "name": "stderr", "text": line.decode(errors="replace")})

    def send(self, **request):
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            pass  # The end of its output says the same.

    def interrupt(self, *_):
        """Takes Ctrl-C: it goes to the session, which answers by the end of the cell."""
        self.events.put({"event": "interrupt"})

    def next(self):
        """The next event, and those that are there behind it."""
        events = []
        while not events:
            try:
                # Without a limit, Windows would wait through a signal.
                self.take(self.events.get(timeout=1), events)
                while not self.events.empty():
                    self.take(self.events.get(), events)
            except queue.Empty:
                pass
        return events

    def take(self, event, events):
        if event is None:
            event = {"event": "ended", "text": f"the session has ended (status {self.process.wait()}), its variables are gone"}
        if event["event"] == "interrupt":
            self.send(request="interrupt")
        else:
            events.append(event)

    def close(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass  # A request to a session that has ended.
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class QuasarKernel(Kernel):
    """Answers the requests of Jupyter."""

    implementation = "quasar"
    implementation_version = "@VERSION@"
    banner = "Quasar @VERSION@; :help lists the commands"
    language_info = {
        "name": "quasar",
        "version": "@VERSION@",
        "mimetype": "text/x-quasar",
        "file_extension": ".q",
        # Front ends know no Quasar: its comments, texts and numbers look like those of MATLAB.
        "codemirror_mode": "octave",
        "pygments_lexer": "matlab",
    }

    def __init__(self, **settings):
        super().__init__(**settings)
        self.served = None
        self.asked = 0

    def ask(self, show, **request):
        """Sends a request; its last answer. What comes before is shown."""
        if self.served is None:
            self.served = Served()
        served = self.served
        self.asked += 1
        # Only the main thread gets signals, and may say what they do.
        is_main = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGINT, served.interrupt) if is_main else None
        try:
            served.send(id=self.asked, **request)
            while True:
                for event in joined(served.next()):
                    if event["event"] == "ended":
                        self.served = None
                        served.close()
                        raise Ended(event["text"])
                    if event.get("id") == self.asked:
                        return event
                    show(event)
        finally:
            if is_main:
                signal.signal(signal.SIGINT, before)

    def pre_handler_hook(self):
        """The base class would raise KeyboardInterrupt wherever the signal comes, and leave the front end without an answer."""

    def post_handler_hook(self):
        """There is nothing to undo."""

    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **_):
        errors = []

        def show(event):
            if event["event"] == "error":
                errors.append(event["text"])
            elif not silent:
                self.show(event)

        name = f"In [{self.execution_count}]" if store_history and not silent else "cell"
        try:
            good = self.ask(show, request="run", name=name, text=code)["ok"]
        except Ended as ended:
            good = False
            errors.append(f"Error: {ended}")
        count = {"execution_count": self.execution_count}
        if good:
            return {"status": "ok", **count, "payload": [], "user_expressions": {}}
        text = "\n".join(errors)
        first = text.split("\n")[0].removeprefix("Error: ")
        error = {"ename": "Error", "evalue": first, "traceback": text.split("\n")}
        if not silent:
            self.send_response(self.iopub_socket, "error", error)
        return {"status": "error", **count, **error}

    def show(self, event):
        """Shows something that is no answer."""
        if event["event"] == "stream":
            self.send_response(self.iopub_socket, "stream", {"name": event["name"], "text": event["text"]})
        elif event["event"] == "figure":
            data = {"image/svg+xml": event["svg"], "text/plain": f"figure {event['number']}"}
            self.send_response(self.iopub_socket, "display_data", {"data": data, "metadata": {}})

    def asked_about(self, **request):
        try:
            return self.ask(self.show, **request)
        except Ended:
            return {}

    def do_complete(self, code, cursor_pos):
        answer = self.asked_about(request="complete", text=code, at=cursor_pos)
        start = answer.get("start", cursor_pos)
        matches = answer.get("names", [])
        return {"status": "ok", "matches": matches, "cursor_start": start, "cursor_end": cursor_pos, "metadata": {}}

    def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        text = self.asked_about(request="inspect", text=code, at=cursor_pos).get("text")
        data = {"text/plain": text} if text else {}
        return {"status": "ok", "found": bool(text), "data": data, "metadata": {}}

    def do_is_complete(self, code):
        is_open = self.asked_about(request="open", text=code).get("open")
        return {"status": "incomplete", "indent": ""} if is_open else {"status": "complete"}

    def do_shutdown(self, restart):
        if self.served is not None:
            self.served.close()
            self.served = None
        return {"status": "ok", "restart": restart}


def joined(events):
    """The same events, with texts of one stream behind each other as one."""
    before = None
    for event in events:
        if before and before["event"] == event["event"] == "stream" and before["name"] == event["name"]:
            before = {**before, "text": before["text"] + event["text"]}
            continue
        if before:
            yield before
        before = event
    if before:
        yield before


if __name__ == "__main__":
    IPKernelApp.launch_instance(kernel_class=QuasarKernel)
