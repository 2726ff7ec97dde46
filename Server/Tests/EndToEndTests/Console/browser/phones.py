#!/usr/bin/env python3
"""phones.py --data FOLDER: stands in for Firebase. Writes a key to FOLDER/phones.pem, prints `listening on http://…`, and serves the key set
there at every path. phones.py --data FOLDER --sign NUMBER prints an identity token for a phone number instead, signed with that key.
Ignores other options, so that tests can start it as they start the server. Start the server with its address as
KEEPSAKE_FIREBASE_JWKS_URL and with KEEPSAKE_FIREBASE_PROJECT_ID=keepsake-console."""

import argparse
import base64
import json
import pathlib
import subprocess
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

project = "keepsake-console"


issuer = f"https://securetoken.google.com/{project}"


def sign(key, number):
    """An identity token with that phone number. `key` is the path of phones.pem."""
    now = int(time.time())
    claims = {
        "iss": issuer, "aud": project, "sub": f"phone-{number}", "iat": now - 1, "auth_time": now - 1, "exp": now + 3_600, "phone_number": number,
        "firebase": {"identities": {"phone": [number]}, "sign_in_provider": "phone"},
    }
    signed = ".".join(text(json.dumps(part).encode()) for part in [{"alg": "RS256", "kid": "phones", "typ": "JWT"}, claims])
    signature = openssl("dgst", "-sha256", "-sign", key, input=signed.encode())
    return f"{signed}.{text(signature)}"


def prove(key, api, number):
    """Links an identity with that phone number to the account of `api`, and signs in with it once."""
    token = sign(key, number)
    api.call("POST", "/auth/link", {"issuer": issuer, "id_token": token})
    request = urllib.request.Request(api.url + "/user/me", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert json.loads(answer.read())["id"] == api.id


def openssl(*arguments, input=None):
    return subprocess.run(["openssl", *arguments], input=input, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def key_set(key):
    openssl("genrsa", "-out", key, "2048")
    modulus = openssl("rsa", "-in", key, "-noout", "-modulus").decode().strip().split("=")[1]
    return {"keys": [{"kty": "RSA", "kid": "phones", "alg": "RS256", "use": "sig", "n": text(bytes.fromhex(modulus)), "e": "AQAB"}]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--sign", metavar="NUMBER")
    chosen = parser.parse_known_args()[0]
    key = chosen.data / "phones.pem"
    if chosen.sign:
        print(sign(key, chosen.sign))
        return
    document = json.dumps(key_set(key)).encode()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Cache-Control", "max-age=3600")
            self.end_headers()
            self.wfile.write(document)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Answer)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
