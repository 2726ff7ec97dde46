"""Stands in for Firebase on loopback: serves a key set, and signs tokens that prove a phone number. The server must have been started with
KEEPSAKE_FIREBASE_PROJECT_ID=keepsake-console and with the address of the key set as KEEPSAKE_FIREBASE_JWKS_URL."""

import base64
import json
import subprocess
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlsplit

project = "keepsake-console"


class Phones:
    """`keys` is the address of the key set, which this serves until the program ends."""

    def __init__(self, folder, keys):
        self.key = folder / "phones.pem"
        subprocess.run(["openssl", "genrsa", "-out", self.key, "2048"], check=True, capture_output=True)
        modulus = subprocess.run(["openssl", "rsa", "-in", self.key, "-noout", "-modulus"], check=True, capture_output=True, text=True).stdout
        number = text(bytes.fromhex(modulus.strip().split("=")[1]))
        document = json.dumps({"keys": [{"kty": "RSA", "kid": "phones", "alg": "RS256", "use": "sig", "n": number, "e": "AQAB"}]}).encode()

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Cache-Control", "max-age=3600")
                self.end_headers()
                self.wfile.write(document)

            def log_message(self, *_):
                pass

        server = HTTPServer(("127.0.0.1", urlsplit(keys).port), Answer)
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def prove(self, api, number):
        """Links an identity with that phone number to the account of `api`, and signs in with it once."""
        issuer, now = f"https://securetoken.google.com/{project}", int(time.time())
        claims = {
            "iss": issuer, "aud": project, "sub": f"phone-{number}", "iat": now - 1, "auth_time": now - 1, "exp": now + 3_600, "phone_number": number,
            "firebase": {"identities": {"phone": [number]}, "sign_in_provider": "phone"},
        }
        signed = ".".join(text(json.dumps(part).encode()) for part in [{"alg": "RS256", "kid": "phones", "typ": "JWT"}, claims])
        signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.key], input=signed.encode(), check=True, capture_output=True).stdout
        token = f"{signed}.{text(signature)}"
        api.call("POST", "/auth/link", {"issuer": issuer, "id_token": token})
        request = urllib.request.Request(api.url + "/user/me", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert json.loads(answer.read())["id"] == api.id


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
