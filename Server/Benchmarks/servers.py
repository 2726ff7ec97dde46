"""The servers under test: how to start each one, the request it receives, and the response it must give."""

import ctypes
import getpass
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent.parent
WORK = REPO / ".build-bench"


class Failure(Exception):
    """A problem that invalidates the measurement; the run stops with this text."""


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


class Server:
    """A server process with its own data folder."""

    label = "?"
    body_kind = "multipart"
    # clear(digests, size): checks and deletes the stored files. None means that the files are in the server's folder.
    clear = None

    def __init__(self, folder, core=None):
        self.folder = Path(folder) / self.label.replace(" ", "-").lower()
        self.core = core
        self.process = None
        self.port = 0

    def command(self):
        raise NotImplementedError

    def environment(self):
        return dict(os.environ)

    def start(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.log = self.folder.with_suffix(".log")
        pinned = [] if self.core is None else ["taskset", "-c", str(self.core)]
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                pinned + self.command(), stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                env=self.environment(), preexec_fn=die_with_parent)
        self.await_ready()
        return self

    def await_ready(self):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if found := re.search(r"listening on http://[^\s:]+:(\d+)", self.log.read_text(errors="replace")):
                self.port = int(found.group(1))
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise Failure(f"{self.label} did not start:\n{self.log.read_text(errors='replace')[-2000:]}")

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(12)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pid(self):
        return self.process.pid

    def head(self, length, boundary, index):
        """Returns the request's head for a body of `length` bytes."""
        return self._head("POST", "/upload", length, f"multipart/form-data; boundary={boundary}")

    def _head(self, method, path, length, content_type, *extra):
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", f"Content-Type: {content_type}",
                 f"Content-Length: {length}", "Connection: close", *extra]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def check(self, status, answer, digests):
        """Raises unless the response acknowledges all files. The peers also return the hashes of the files."""
        if status != 200:
            raise Failure(f"{self.label} answered {status}: {answer[:500]}")
        told = [file["sha256"] for file in json.loads(answer)["files"]]
        if told != digests:
            raise Failure(f"{self.label} returned hashes that differ from those of the files sent")


class C(Server):
    label = "plain C"

    def command(self):
        return [str(WORK / "receive"), "0", str(self.folder), self.body_kind]


class CRaw(C):
    label = "plain C, raw PUT"
    body_kind = "raw"

    def head(self, length, boundary, index):
        return self._head("PUT", "/upload", length, "application/octet-stream")


class Go(Server):
    label = "Go net/http"

    def command(self):
        return [str(WORK / "receive-go"), "0", str(self.folder)]


class Keepsake(Server):
    label = "Keepsake"
    binary = REPO / ".build-release" / "release" / "keepsake"

    def command(self):
        return [str(self.binary), "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(self.folder), "--rate-limits", "off"]

    def environment(self):
        # The benchmark exceeds the default quota. Without backtraces, a crash ends the process at once.
        return {**os.environ, "KEEPSAKE_QUOTA_MB": "10000000", "SWIFT_BACKTRACE": "enable=no"}

    def start(self):
        super().start()
        made = subprocess.run(
            [str(self.binary), "token", "--data", str(self.folder), "--email", "bench@example.org", "--json"],
            capture_output=True, text=True, env=self.environment())
        if made.returncode != 0:
            raise Failure(f"keepsake token failed: {made.stderr[-1000:]}")
        self.account = json.loads(made.stdout.strip().splitlines()[-1])
        return self

    def head(self, length, boundary, index):
        return self._head(
            "POST", f"/api/users/user/{self.account['user_id']}/multimedia/swift", length,
            f"multipart/form-data; boundary={boundary}", f"Authorization: Bearer {self.account['access_token']}")

    def check(self, status, answer, digests):
        if status != 200:
            raise Failure(f"Keepsake answered {status}: {answer[:500]}")
        told = json.loads(answer)
        if not told.get("success") or told.get("count") != len(digests) or told.get("errors"):
            raise Failure(f"Keepsake did not accept all files: {answer[:500]}")


def prepare_accounts(folder, count):
    """Creates a data folder with accounts. Returns the id and an access token of each account."""
    accounts = []
    for number in range(count):
        made = subprocess.run(
            [
                str(Keepsake.binary), "token", "--begin-installation", "--data", str(folder), "--email", f"bench{number}@example.org",
                "--json",
            ],
            capture_output=True, text=True, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
        if made.returncode != 0:
            raise Failure(f"keepsake token failed: {made.stderr[-1000:]}")
        account = json.loads(made.stdout.strip().splitlines()[-1])
        accounts.append((account["user_id"], account["access_token"]))
    return accounts


class Nginx(Server):
    """Debian's nginx with its stock settings and WebDAV PUT. It computes no hash, calls no fsync and parses no multipart."""

    label = "nginx PUT"
    body_kind = "raw"

    @staticmethod
    def binary():
        return shutil.which("nginx") or str(WORK / "nginx" / "usr" / "sbin" / "nginx")

    @classmethod
    def is_usable(cls):
        try:
            built = subprocess.run([cls.binary(), "-V"], capture_output=True, text=True).stderr
        except OSError:
            return False
        return "http_dav_module" in built

    def command(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        own = self.folder
        for name in ("files", "body", "other"):
            (own / name).mkdir()
        # This is the http block of Debian's nginx.conf, with the settings for PUT. The folder for bodies is on the same file system as the
        # files, so that a PUT ends with a rename.
        (own / "nginx.conf").write_text(f"""
            user {getpass.getuser()};
            worker_processes auto;
            pid {own}/pid;
            error_log {own}/error.log;
            events {{ worker_connections 768; }}
            http {{
                sendfile on;
                tcp_nopush on;
                types_hash_max_size 2048;
                gzip on;
                access_log {own}/access.log;
                client_body_temp_path {own}/body;
                proxy_temp_path {own}/other; fastcgi_temp_path {own}/other;
                uwsgi_temp_path {own}/other; scgi_temp_path {own}/other;
                server {{
                    listen 127.0.0.1:{self.port};
                    root {own}/files;
                    client_max_body_size 1g;
                    location / {{ dav_methods PUT; }}
                }}
            }}""")
        return [self.binary(), "-p", str(own), "-c", str(own / "nginx.conf"), "-e", str(own / "error.log"), "-g", "daemon off;"]

    def await_ready(self):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.2).close()
                return
            except OSError:
                time.sleep(0.02)
        raise Failure(f"nginx did not start:\n{self.log.read_text()[-2000:]}")

    def head(self, length, boundary, index):
        return self._head("PUT", f"/{index}.bin", length, "application/octet-stream")

    def check(self, status, answer, digests):
        if status not in (200, 201, 204):
            raise Failure(f"nginx answered {status}: {answer[:500]}")
