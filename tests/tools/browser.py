# SPDX-License-Identifier: BSD-2-Clause
"""Chromium without a window, driven through a pipe in the DevTools protocol: load a page, ask it, press keys, take its picture."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

NAME = shutil.which("chromium-headless-shell") or shutil.which("chromium")


class Browser:
    """An open page. Only what a test needs: no library, no network."""
    def __init__(self):
        self.dir = tempfile.mkdtemp()
        (ours, theirs), (theirs_out, ours_out) = os.pipe(), os.pipe()
        fds = [os.dup2(fd, 30 + i) for i, fd in enumerate((theirs_out, theirs))]

        def pipes():
            os.dup2(fds[0], 3)
            os.dup2(fds[1], 4)
        self.process = subprocess.Popen([NAME, "--headless", "--disable-gpu", "--remote-debugging-pipe", "--user-data-dir=" + self.dir] +
                                        (["--no-sandbox"] if os.getuid() == 0 else []), stderr=subprocess.DEVNULL, pass_fds=(3, 4), preexec_fn=pipes)
        for fd in fds + [theirs, theirs_out]:
            os.close(fd)
        self.to, self.answers, self.read, self.n, self.session = os.fdopen(ours_out, "wb", 0), ours, b"", 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.events, self.errors = [], []
        self.call("Page.enable")
        self.call("Runtime.enable")
        self.call("Log.enable")

    def message(self):
        while b"\0" not in self.read:
            some = os.read(self.answers, 1 << 20)
            if not some:
                raise EOFError("chromium ended")
            self.read += some
        text, _, self.read = self.read.partition(b"\0")
        return json.loads(text)

    def note(self, m):
        self.events.append(m.get("method"))
        if m.get("method") == "Runtime.exceptionThrown" or (m.get("method") == "Log.entryAdded" and m["params"]["entry"]["level"] == "error"):
            self.errors.append(m["params"])

    def call(self, method, **params):
        self.n += 1
        m = {"id": self.n, "method": method, "params": params}
        if self.session:
            m["sessionId"] = self.session
        self.to.write(json.dumps(m).encode() + b"\0")
        while True:
            m = self.message()
            if m.get("id") == self.n:
                if "error" in m:
                    raise RuntimeError(m["error"])
                return m["result"]
            if self.session:
                self.note(m)

    def open(self, path, width=1400, height=900, scripts=True):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.events, self.errors = [], []
        self.call("Page.navigate", url="file://" + path)
        self.wait()

    def reload(self):
        self.events = []
        self.call("Page.reload")
        self.wait()

    def wait(self):
        while "Page.loadEventFired" not in self.events:
            self.note(self.message())

    def ask(self, expression):
        """The value of an expression, as JSON."""
        r = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in r:
            raise RuntimeError(r["exceptionDetails"])
        return r["result"].get("value")

    def key(self, name, text=None):
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, windowsVirtualKeyCode=codes.get(name, 0), **({"text": text} if text and kind == "keyDown" else {}))

    def type(self, selector, text):
        """Into a field that has the focus then; what it has is replaced."""
        self.ask("(() => { const e = document.querySelector(%s); e.focus(); e.select(); })()" % json.dumps(selector))
        self.call("Input.insertText", text=text)

    def click(self, selector):
        x, y = self.ask("(() => { const e = document.querySelector(%s); e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()"
                        % json.dumps(selector))
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def shot(self, path, whole=False):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])

    def close(self):
        self.to.close()
        os.close(self.answers)
        self.process.wait(timeout=20)
        shutil.rmtree(self.dir, ignore_errors=True)
