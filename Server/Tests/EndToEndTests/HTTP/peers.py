# peers.py ADDRESS TOKEN USER PHOTO CERTIFICATE: a third-party HTTP client (Debian's python3-httpx, with python3-h2) uploads, downloads,
# requests a range, and gets refused. Prints a line of JSON with one object for HTTP/1.1 and one for HTTP/2, which it uses only with TLS.
import json, sys
import httpx

address, token, user, photo, certificate = sys.argv[1:6]
library = f"{address}/api/users/user/{user}/multimedia"
bearer = {"Authorization": "Bearer " + token}
results = []
for http2 in (False, True):
    with httpx.Client(http2=http2, verify=certificate or True, timeout=30) as client:
        content = open(photo, "rb").read()
        answer = client.post(library + "/swift", headers=bearer, files={"file": ("a.jpg", content, "image/jpeg")})
        url = answer.json()["files"][0]["data"]["appUrl"]
        whole = client.get(url, headers=bearer)
        # The server accepts 1 MB. The large upload runs once: over HTTP/2 with TLS, otherwise over HTTP/1.1.
        refused = None
        if http2 == bool(certificate):
            large = {"file": ("a.jpg", content + bytes(4 * 1048576), "image/jpeg")}
            refused = client.post(library + "/swift", headers=bearer, files=large).status_code
        results.append({
            "version": answer.http_version, "upload": answer.status_code, "same": whole.content == content,
            "range": client.get(url, headers={**bearer, "Range": "bytes=0-9"}).status_code,
            "nobody": client.get(url).status_code, "large": refused,
        })
print(json.dumps(results))
