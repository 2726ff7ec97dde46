"""polyglots.py COUNT URL: uploads files that browsers could run as pages or scripts, opens those that the server accepts in Chromium as links,
frames, pictures, objects and scripts, and posts forms from another origin. KEEPSAKE_TOKEN is the bearer token of the account.

Prints one line of JSON: {"sent", "accepted", "opened", "ran", "posted", "control"}. `ran` names the files whose script ran, `posted` the statuses
of the foreign forms. `opened` counts the accepted files that the browser showed or began to save when it followed their link. `control` counts
the accepted files that run when a server sends them without the headers."""

import http.server
import json
import os
import pathlib
import socketserver
import struct
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
import uuid
import zlib

from playwright.sync_api import Error, sync_playwright

fixtures = pathlib.Path(__file__).parents[2] / "Fixtures"
extensions = ["jpg", "jpeg", "png", "gif", "mp4", "mov", "md", "pdf", "docx", "txt", "doc", "usdz"]
ran = set()
served = {}


class Beacon(http.server.BaseHTTPRequestHandler):
    """Notes which scripts ran, serves the foreign pages, and, as the control, the files without any header that would stop them."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path).path
        kind, _, name = path[1:].partition("/")
        body, content_type = b"", None
        if kind == "ran":
            ran.add(urllib.parse.unquote(name))
        elif kind == "plain":
            body = served.get(name, b"")
        elif kind == "page":
            body, content_type = served.get(name, b""), "text/html"
        self.send_response(200)
        if content_type:
            self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


beacon = Server(("127.0.0.1", 0), Beacon)
threading.Thread(target=beacon.serve_forever, daemon=True).start()
home = f"http://127.0.0.1:{beacon.server_port}"


def zipped(entries):
    """A ZIP archive whose entries are stored."""
    body, directory = b"", b""
    for name, data in entries:
        name = name.encode()
        head = struct.pack("<HHIIIIHH", 0, 0, 0, zlib.crc32(data), len(data), len(data), len(name), 0)
        directory += b"PK\1\2\x14\3\x14\0" + head + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name
        body += b"PK\3\4\x14\0" + head + name + data
    end = struct.pack("<IHHIIH", 0, len(entries), len(entries), len(directory), len(body), 0)
    return body + directory + b"PK\5\6" + end


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def bases(name):
    """Contents that run `name`'s beacon where a browser takes them for a page, a picture with scripts, or a script."""
    script = f"new Image().src='{home}/ran/{name}';"
    tag = f"<script>{script}</script>"
    page = f"<!doctype html><html><body onload=\"{script}\">{tag}<img src=x onerror=\"{script}\"></body></html>"
    vector = f"<svg xmlns='http://www.w3.org/2000/svg' onload=\"{script}\" width='9' height='9'><script>{script}</script></svg>"
    jpeg, png = (fixtures / "photo.jpg").read_bytes(), (fixtures / "palette.png").read_bytes()
    gif, film = (fixtures / "still87a.gif").read_bytes(), (fixtures / "moov-last.mp4").read_bytes()
    mov = (fixtures / "branded.mov").read_bytes()
    text, xml = page.encode(), f"<?xml version='1.0'?>{vector}".encode()
    package = [("[Content_Types].xml", text), ("word/document.xml", text)]
    yield "page", text
    yield "page after space", b"\n\n  \t" + text
    yield "page with a mark", b"\xef\xbb\xbf" + text
    yield "page in UTF-16", b"\xff\xfe" + page.encode("utf-16-le")
    yield "page in UTF-7", page.replace("<", "+ADw-").replace(">", "+AD4-").encode()
    yield "vector", vector.encode()
    yield "vector in XML", xml
    yield "XHTML", f"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>{tag}</html>".encode()
    yield "style sheet", f"<?xml version='1.0'?><?xml-stylesheet type='text/xsl' href='#s'?>{vector}".encode()
    yield "script", script.encode()
    yield "Markdown", f"# A\n\n[a](javascript:{script})\n\n{page}\n".encode()
    yield "web archive", f"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n{page}\n--b--".encode()
    yield "GIF and script", b"GIF89a/*" + b"\0" * 4 + b"*/=1;" + script.encode()
    yield "GIF and page", gif[:-1] + b"\x21\xfe" + bytes([min(255, len(tag))]) + tag.encode()[:255] + b"\0\x3b"
    yield "GIF before page", gif + text
    yield "JPEG and page", jpeg[:2] + b"\xff\xfe" + struct.pack(">H", len(text) + 2) + text + jpeg[2:]
    yield "JPEG before page", jpeg + text
    yield "page before JPEG", text + jpeg
    yield "PNG and page", png[:-12] + chunk(b"tEXt", b"note\0" + text) + png[-12:]
    yield "PNG before page", png + text
    yield "film and page", film + struct.pack(">I", len(text) + 8) + b"free" + text
    yield "MOV and page", mov + struct.pack(">I", len(text) + 8) + b"free" + text
    yield "page before film", struct.pack(">I", len(text) + 8) + b"free" + text + film
    yield "PDF and page", b"%PDF-1.4\n" + text
    yield "PDF with script", (
        b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.launchURL('" + f"{home}/ran/{name}".encode()
        + b"')) >> >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R"
        b" /MediaBox [0 0 9 9] >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"
    )
    yield "page before PDF", text + b"\n%PDF-1.4\n"
    yield "document and page", zipped(package)
    yield "scene and page", zipped([("scene.usda", b"#usda 1.0\n" + text)])
    yield "page before archive", text + zipped(package)
    yield "old document and page", bytes.fromhex("D0CF11E0A1B11AE1") + text + b"\0" * 4096


# The extensions under which the server may take content that begins in one of these ways; any other content may be text.
suits = [(b"GIF8", ["gif"]), (b"\xff\xd8", ["jpg", "jpeg"]), (b"\x89PNG", ["png"]), (b"%PDF", ["pdf"]), (b"PK", ["docx", "usdz"]),
         (b"\xd0\xcf", ["doc"])]


def spread(pairs, count):
    return [pairs[number * len(pairs) // count] for number in range(min(count, len(pairs)))]


def files(count):
    """COUNT files, each with another content or extension: most under extensions that suit their content, the others under all."""
    pairs = [(kind, extension) for kind, _ in bases("") for extension in extensions]
    contents = dict(bases(""))

    def suiting(kind):
        if contents[kind][4:8] in (b"ftyp", b"moov", b"wide"):
            return ["mp4", "mov"]
        return next((found for start, found in suits if contents[kind].startswith(start)), ["md", "txt"])

    likely = [(kind, extension) for kind, extension in pairs if extension in suiting(kind)]
    others = [pair for pair in pairs if pair not in likely]
    first = spread(likely, min(len(likely), count * 2 // 3))
    for number, (kind, extension) in enumerate(first + spread(others, count - len(first))):
        name = f"{number}-{kind.replace(' ', '_')}.{extension}"
        yield name, dict(bases(name))[kind]


class API:
    def __init__(self, url, token):
        self.url, self.token = url, token

    def call(self, method, path, data=None, headers=()):
        request = urllib.request.Request(self.url + path, data, {"Authorization": f"Bearer {self.token}", **dict(headers)}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def upload(self, name, data):
        """Returns the path of the file, or None when it is refused."""
        boundary = uuid.uuid4().hex
        parts = [f'name="file"; filename="{name}"\r\n\r\n'.encode() + data]
        parts += [f'name="{field}"\r\n\r\n64'.encode() for field in ("width", "height")]
        body = b"".join(f"--{boundary}\r\nContent-Disposition: form-data; ".encode() + part + b"\r\n" for part in parts)
        body += f"--{boundary}--\r\n".encode()
        fields = {"Content-Type": f"multipart/form-data; boundary={boundary}"}.items()
        # A refusal may come, and the connection close, before this client has sent everything.
        for _ in range(5):
            try:
                return "/api/chat/files/serve" + self.call("POST", "/api/chat/files/upload", body, fields)["filepath"]
            except urllib.error.HTTPError as error:
                assert error.code == 400, (name, error.code, error.read())
                return None
            except (urllib.error.URLError, ConnectionError) as error:
                missed = error
        raise missed


def embedding(links):
    """A page of another origin that shows every link in each way that a page can."""
    ways = ["<iframe src='{0}'></iframe>", "<img src='{0}'>", "<object data='{0}'></object>", "<embed src='{0}'>", "<script src='{0}'></script>",
            "<video src='{0}'></video>", "<link rel=stylesheet href='{0}'>"]
    return "<!doctype html><body>" + "".join(way.format(link) for link in links for way in ways)


def look(page, links, is_control=False):
    """Opens the links one by one, and then all of them in pages that embed them. Returns how many of the links the browser showed or began to
    save."""
    opened, saved = 0, []
    page.on("download", lambda download: saved.append(download.url))
    for link in links:
        count = len(saved)
        try:
            answer = page.goto(link, wait_until="load", timeout=20_000)
            page.wait_for_timeout(10)
            opened += answer is not None and answer.status in (200, 206)
        except Error as error:
            # The browser saves this file instead of showing it.
            assert "Download is starting" in str(error) or "ERR_ABORTED" in str(error) or is_control, (link, str(error))
            # The browser may report the download after the error.
            for _ in range(200):
                if len(saved) > count or is_control:
                    break
                page.wait_for_timeout(10)
            opened += len(saved) > count
    for number in range(0, len(links), 10):
        name = f"{'plain' if is_control else 'kept'}-{number}"
        served[name] = embedding(links[number:number + 10]).encode()
        page.goto(f"{home}/page/{name}", wait_until="load", timeout=60_000)
        page.wait_for_timeout(200)
    return opened


def forms(page, url):
    """Posts forms from another origin. Returns the statuses of what the server answered to them."""
    statuses = []
    page.on("response", lambda response: response.request.method == "POST" and statuses.append(response.status))
    served["forms"] = f"""<!doctype html><body><form id=f method=post enctype=multipart/form-data action="{url}/api/chat/files/upload">
        <textarea name=file>words</textarea></form><script>
        const data = new FormData();
        data.append('file', new File(['words of a stranger'], 'stranger.txt'));
        fetch('{url}/api/chat/files/upload', {{method: 'POST', mode: 'no-cors', credentials: 'include', body: data}})
            .catch(() => 0).then(() => document.getElementById('f').submit());
        </script>""".encode()
    try:
        page.goto(f"{home}/page/forms", wait_until="load", timeout=20_000)
        page.wait_for_timeout(1_000)
    except Error:
        pass
    return statuses


def main():
    count, url = int(sys.argv[1]), sys.argv[2]
    api = API(url, os.environ["KEEPSAKE_TOKEN"])
    links, accepted = [], []
    for name, data in files(count):
        served[name] = data
        path = api.upload(name, data)
        if path:
            links.append(path)
            accepted.append(name)
    session = api.call("POST", "/auth/session")["cookie"].split(";")[0]
    cookie, _, value = session.partition("=")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        context = chromium.new_context()
        context.add_cookies([{"name": cookie, "value": value, "url": url}])
        page = context.new_page()
        # The account's own files open, so what is looked at below is the content and not a refusal.
        assert context.request.get(url + links[0]).status == 200
        opened = look(page, [url + link for link in links])
        # The files do not run on a page of the server's own origin either.
        page.goto(url + "/health/live")
        page.evaluate(
            "links => { for (const link of links) for (const tag of ['iframe', 'img', 'embed', 'script'])"
            " { const e = document.createElement(tag); e.src = link; (document.body || document.documentElement).append(e) } }",
            links)
        page.wait_for_timeout(2_000)
        bad = sorted(ran)
        posted = forms(context.new_page(), url)
        ran.clear()
        look(chromium.new_context().new_page(), [f"{home}/plain/{urllib.parse.quote(name)}" for name in accepted], is_control=True)
        chromium.close()
    print(json.dumps({"sent": count, "accepted": len(links), "opened": opened, "ran": bad, "posted": posted, "control": len(ran & set(accepted))}))


main()
