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
        # What Jupyter ignores in this process would be ignored there as well; and Ctrl-C comes as a request, so that it counts once.
        before = signal.signal(signal.SIGINT, signal.SIG_DFL)
        try:
            self.process = subprocess.Popen(
                [COMMAND, "jupyter", "serve"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise Ended(f"'{COMMAND}' cannot be started: {error}; `quasar jupyter install` renews its path") from None
        finally:
            signal.signal(signal.SIGINT, before)
        self.events = queue.Queue()
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

    def next(self):
        """The next event; an interrupt goes to the session, which answers it by the end of the cell."""
        while True:
            try:
                # Without a limit, Windows would wait through an interrupt.
                event = self.events.get(timeout=1)
            except queue.Empty:
                continue
            except KeyboardInterrupt:
                self.send(request="interrupt")
                continue
            if event is None:
                self.events.put(None)
                raise Ended(f"the session has ended (status {self.process.wait()}), its variables are gone")
            return event

    def ready(self):
        """The events that are there already."""
        while True:
            try:
                event = self.events.get_nowait()
            except queue.Empty:
                return
            if event is None:
                self.events.put(None)
                return
            yield event

    def close(self):
        self.process.stdin.close()
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
        # Those who have no Quasar: its comments, texts and numbers look as those of MATLAB.
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
        served.send(id=self.asked, **request)
        try:
            while True:
                events = [served.next(), *served.ready()]
                for event in joined(events):
                    if event.get("id") == self.asked:
                        return event
                    show(event)
        except Ended:
            self.served = None
            served.close()
            raise

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
