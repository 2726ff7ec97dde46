"""The servers of the serving benchmark: Keepsake without and with TLS, Go's net/http in two variants, nginx, Express."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from load import descendants, memory, mp4_head, settle  # noqa: E402
from servers import REPO, WORK, Failure, Keepsake, Server, die_with_parent  # noqa: E402

NODE = WORK / "lists" / "bin" / "node"
MODULES = WORK / "debian" / "usr" / "share" / "nodejs"
# The base of all links, so that all links are equal on any port.
URL = "http://files.example.org"
SMALL, LARGE = 20_000, 50_000_000


class Contender(Server):
    """A server that runs on given cores. `ports`: the ports for "plain", "tls" and "h2", as far as the server has them."""

    is_secure = False
    runs = ("plain", "tls", "h2")

    def __init__(self, folder, cores, told):
        super().__init__(folder)
        self.cores, self.told, self.ports = cores, told, {}

    def start(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.prepare()
        self.log = self.folder.with_suffix(".log")
        command = ["taskset", "-c", ",".join(map(str, self.cores)), *self.command()]
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=self.environment(), preexec_fn=die_with_parent)
        self.await_ready()
        return self

    def prepare(self):
        """Puts what the server needs into its folder, before it starts."""

    def await_ready(self):
        super().await_ready()
        text = self.log.read_text(errors="replace")
        found = dict(re.findall(r"(https?)://127\.0\.0\.1:(\d+)", text))
        self.ports = {"plain": int(found["http"])} | ({"tls": int(found["https"]), "h2": int(found["https"])} if "https" in found else {})

    def stop(self):
        super().stop()
        self.log.unlink(missing_ok=True)

    def request(self, path, fields=None, method="GET", body=None):
        """Sends a request over plain HTTP; returns (status, header, body)."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.ports['plain']}{path}", data=body, headers=fields or {}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def processes(self):
        """Returns the processes whose memory counts as the server's."""
        return [self.pid]


class Ours(Contender, Keepsake):
    label = "Keepsake"
    runs = ("plain",)
    log_level = "info"
    database = None

    def prepare(self):
        if self.told:
            shutil.rmtree(self.folder)
            shutil.copytree(self.told["data"], self.folder)

    def environment(self):
        own = {"KEEPSAKE_LOG": self.log_level, "KEEPSAKE_PUBLIC_URL": URL}
        if self.database:
            own["KEEPSAKE_DATABASE"] = self.database
        return Keepsake.environment(self) | own

    def await_ready(self):
        Server.await_ready(self)
        self.ports = {"plain": self.port}

    def start(self):
        Contender.start(self)
        self.sign_in()
        return self

    def sign_in(self):
        made = subprocess.run(
            [str(self.binary), "token", "--data", str(self.folder), "--email", "bench@example.org", "--json"],
            capture_output=True, text=True, env=self.environment())
        if made.returncode != 0:
            raise Failure(f"keepsake token failed: {made.stderr[-1000:]}")
        self.account = json.loads(made.stdout.strip().splitlines()[-1])

    @property
    def authorization(self):
        return {"Authorization": f"Bearer {self.account['access_token']}"}


class OursSecure(Ours):
    """Keepsake with TLS. Keepsake has one port, so TLS needs a second process, which runs on its own copy of the data."""

    label = "Keepsake"
    runs = ("tls", "h2")

    def __init__(self, folder, cores, told):
        super().__init__(folder, cores, told)
        self.folder = self.folder.with_name("keepsake-tls")

    def command(self):
        return [*super().command(), "--tls-cert", self.told["certificate"], "--tls-key", self.told["key"]]

    def await_ready(self):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            if found := re.search(r"listening on https://[^\s:]+:(\d+)", self.log.read_text(errors="replace")):
                self.ports = {"tls": int(found.group(1)), "h2": int(found.group(1))}
                return
            time.sleep(0.02)
        raise Failure(f"Keepsake did not start:\n{self.log.read_text(errors='replace')[-2000:]}")

    def sign_in(self):
        """Does nothing, because no request over TLS has a token."""


class Go(Contender):
    label = "Go net/http, equal work"
    checks = True

    def prepare(self):
        shutil.copy(self.told["database"], self.folder / "keepsake.sqlite")
        (self.folder / "settings.json").write_text(json.dumps({
            "checks": self.checks, "database": str(self.folder / "keepsake.sqlite"), "blobs": self.told["blobs"],
            "linkSecret": self.told["linkSecret"], "files": self.told["files"], "page": self.told["page"],
            "certificate": self.told["certificate"], "key": self.told["key"]}))

    def command(self):
        return [str(WORK / "serve-go"), str(self.folder / "settings.json")]


class BareGo(Go):
    label = "Go net/http, checks nothing"
    checks = False


class Express(Contender):
    label = "Express"
    runs = ("plain", "tls")

    def prepare(self):
        shutil.copy(self.told["database"], self.folder / "keepsake.sqlite")
        (self.folder / "peer.json").write_text(json.dumps({
            "processes": len(self.cores), "database": str(self.folder / "keepsake.sqlite"), "blobs": self.told["blobs"],
            "linkSecret": self.told["linkSecret"], "certificate": self.told["certificate"], "key": self.told["key"]}))

    def environment(self):
        return {**os.environ, "PEER": str(self.folder / "peer.json"), "NODE_PATH": str(MODULES), "NODE_ENV": "production"}

    def command(self):
        return [str(NODE), "--no-warnings", str(HERE / "peers" / "express.cjs")]

    def processes(self):
        return [self.pid, *descendants(self.pid)]


def nginx():
    """Returns the path of Debian's nginx."""
    return os.environ.get("NGINX") or subprocess.run([REPO / "scripts" / "nginx.sh"], capture_output=True, text=True, check=True).stdout.strip()


class Nginx(Contender):
    """Debian's nginx with its stock settings and without an access log. It serves static files, checks nothing and reads no row."""

    label = "nginx"

    def prepare(self):
        (self.folder / "other").mkdir()
        files = self.folder / "root" / self.told["folder"].strip("/")
        files.mkdir(parents=True)
        for name, path in self.told["files"].items():
            shutil.copy(path, files / name)
        # Make the files readable for everybody, because nginx's workers do not run as root.
        for path in [self.folder, *self.folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        with socket.socket() as plain, socket.socket() as secure:
            plain.bind(("127.0.0.1", 0))
            secure.bind(("127.0.0.1", 0))
            self.ports = {"plain": plain.getsockname()[1], "tls": secure.getsockname()[1], "h2": secure.getsockname()[1]}
        own, other = self.folder, self.folder / "other"
        user = "user root;" if os.geteuid() == 0 else ""
        (own / "nginx.conf").write_text(f"""
            {user}
            worker_processes {len(self.cores)};
            pid {own}/pid;
            error_log {own}/error.log;
            daemon off;
            events {{ worker_connections 768; }}
            http {{
                sendfile on;
                tcp_nopush on;
                default_type video/mp4;
                access_log off;
                client_body_temp_path {other}; proxy_temp_path {other}; fastcgi_temp_path {other}; uwsgi_temp_path {other}; scgi_temp_path {other};
                ssl_certificate {self.told["certificate"]};
                ssl_certificate_key {self.told["key"]};
                ssl_protocols TLSv1.2 TLSv1.3;
                # No connection is closed after a number of requests, as with the other servers.
                keepalive_requests 100000000;
                server {{
                    listen 127.0.0.1:{self.ports["plain"]};
                    listen 127.0.0.1:{self.ports["tls"]} ssl http2;
                    root {own}/root;
                }}
            }}""")

    def command(self):
        return [nginx(), "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"), "-e", str(self.folder / "error.log")]

    def await_ready(self):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.request("/")
                return
            except OSError:
                time.sleep(0.02)
        raise Failure(f"nginx did not start:\n{self.log.read_text()[-2000:]}")

    def processes(self):
        return [self.pid, *descendants(self.pid)]


# MARK: - The data that all servers share


def multipart(name, content, boundary="----KeepsakeBenchmark"):
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: video/mp4\r\n\r\n'
    return f"multipart/form-data; boundary={boundary}", head.encode() + content + f"\r\n--{boundary}--\r\n".encode()


def mp4(length):
    head = mp4_head(length)
    return head + os.urandom(length - len(head))


def certificate(folder):
    """Makes a certificate with an elliptic curve, as public certificates have."""
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem")],
        capture_output=True, text=True)
    if made.returncode != 0:
        raise Failure(f"openssl: {made.stderr[-500:]}")
    return {"certificate": str(folder / "certificate.pem"), "key": str(folder / "key.pem")}


def upload(server, name, length):
    """Uploads a new file. Returns the path and query of its signed link."""
    kind, body = multipart(name, mp4(length))
    status, _, answer = server.request(
        f"/api/users/user/{server.account['user_id']}/multimedia/swift", {**server.authorization, "Content-Type": kind}, "POST", body)
    told = json.loads(answer)
    if status != 200 or not told.get("success"):
        raise Failure(f"Keepsake answered {status} to an upload: {answer[:500]}")
    found = re.search(re.escape(URL) + r"(/api/users/user/[^/\"]+/multimedia/files/[^\"]+)", answer.decode().replace("\\/", "/"))
    if not found:
        raise Failure(f"there is no link in {answer[:500]}")
    return found.group(1)


def idle(server):
    settle(server.pid, pause=0.5)


def rss(server):
    return sum(memory(process)["VmRSS"] for process in server.processes())
