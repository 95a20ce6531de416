"""Starts latchkey as a process, and controls it over HTTP. Copy this file into your project."""

import json
from subprocess import PIPE, Popen
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

# Calls carry a token, and go through no proxy that the environment names.
OPENER = build_opener(ProxyHandler({}))


class Latchkey:
    """An emulator on a free port. Used in `with`, it stops at the end of the block."""

    def __init__(self, *options, command=("latchkey",)):
        # The emulator ends when this pipe closes, even if the tests are killed.
        serve = ["serve", "--port", "0", "--json", "--exit-with-stdin", "--log", "warn"]
        self._process = Popen([*command, *serve, *options], stdin=PIPE, stdout=PIPE, text=True)
        line = self._process.stdout.readline()
        if not line:
            self.stop()
            raise RuntimeError("latchkey did not start; it says why on stderr")
        ready = json.loads(line)
        self.url, self.token, self.gateway = ready["url"], ready["token"], ready.get("gateway")
        self._control_token = ready.get("controlToken", self.token)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def reset(self):
        """Brings back the initial state, with an empty journal."""
        self.control("POST", "/reset")

    def advance(self, duration):
        """Moves the clock forward, by text like "30d" or by milliseconds."""
        return self.control("PUT", "/clock", {"advance": duration})

    def add_fault(self, operation, **fault):
        """Makes calls fail: `status=429, headers={"Retry-After": "30"}, times=1`."""
        return self.control("POST", "/faults", {"operation": operation, **fault})

    def keys(self, **query):
        """The keys, a thousand at most; those of one API with `apiId="api_1"`."""
        return self.control("GET", "/keys", limit=1000, **query)["keys"]

    def requests(self, match=None, **query):
        """The calls of the journal, by `operation`, `status` and members of their input."""
        if match is not None:
            query["match"] = json.dumps(match)
        return self.control("GET", "/requests", **query)["requests"]

    def wait_for(self, operation, match=None, wait="5s", **query):
        """Waits until such a call has come, and returns what has come."""
        return self.requests(match, operation=operation, wait=wait, **query)

    def control(self, method, path, body=None, **query):
        """Calls a control route: `control("GET", "/snapshot")`."""
        headers = {"Authorization": f"Bearer {self._control_token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        url = f"{self.url}/_latchkey{path}" + (f"?{urlencode(query)}" if query else "")
        data = None if body is None else json.dumps(body).encode()
        try:
            with OPENER.open(Request(url, data, headers, method=method)) as response:
                return json.loads(response.read() or "null")
        except HTTPError as error:
            with error:
                message = json.load(error)["error"]["message"]
                raise RuntimeError(f"{method} {path}: {message}") from None
