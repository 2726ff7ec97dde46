"""Code that both FastAPI servers share: response models, links, cursors, tokens. PEER is the path of a JSON file with the settings."""

import hmac
import json
import os
import socket
import time
from base64 import urlsafe_b64encode

import jwt
import uvicorn
from fastapi import HTTPException
from pydantic import BaseModel

with open(os.environ["PEER"]) as file:
    PEER = json.load(file)
LINK_SECRET, CURSOR_SECRET = bytes.fromhex(PEER["linkSecret"]), bytes.fromhex(PEER["cursorSecret"])
KEYS = {key["kid"]: jwt.PyJWK(key).key for key in PEER["keys"]["keys"]}


class EntryFile(BaseModel):
    id: str
    type: str


class Mood(BaseModel):
    id: str
    mood: str
    note: str | None = None
    voiceNote: str | None = None
    voiceNoteDuration: float | None = None
    reason: str | None = None
    tags: list[str]
    interests: list[str]
    moodIntensity: int | None = None
    createdAt: int
    imageUrls: list[str]
    category: str
    groupId: str | None = None
    files: list[EntryFile]


class Pagination(BaseModel):
    hasMore: bool
    nextCursor: str | None


class Moods(BaseModel):
    success: bool = True
    moods: list[Mood]
    pagination: Pagination


def entry_files(column):
    return [EntryFile(id=id, type=type) for id, type in (file.split(" ") for file in json.loads(column))]


def seal(secret, *parts):
    """Seals the parts by an HMAC. Each part is preceded by its length, as in Keepsake, so that all servers give the same response."""
    encoded = [part.encode() for part in parts]
    message = b"".join(piece for part in encoded for piece in (len(part).to_bytes(8, "little"), part))
    return hmac.digest(secret, message, "sha256")[:16]


def base64url(content):
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def expiry():
    return str((int(time.time()) // 86_400 + 1 + 7) * 86_400)


def link(owner, media, expires):
    path = f"/api/users/user/{owner}/multimedia/files/{media}"
    return f"{PEER['url']}{path}?expires={expires}&signature={base64url(seal(LINK_SECRET, 'link', 'GET', path, expires))}"


def cursor(owner, created_at, moment):
    payload = f"{created_at}\x1f{moment}"
    return base64url(seal(CURSOR_SECRET, "cursor.moments", payload, owner, "mood", "", "", "") + payload.encode())


def claims(token):
    """The claims of a valid token; raises 401 for any other token."""
    try:
        header = jwt.get_unverified_header(token)
        if header.get("typ") != "at+jwt" or header.get("kid") not in KEYS:
            raise HTTPException(401)
        return jwt.decode(token, KEYS[header["kid"]], algorithms=["ES256"], issuer=PEER["issuer"], audience=PEER["audience"])
    except jwt.InvalidTokenError:
        raise HTTPException(401) from None


def run(app):
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    # Use uvloop and httptools, as `uvicorn[standard]` does, and log no line for each request.
    uvicorn.Server(uvicorn.Config(app, access_log=False, log_level="warning", loop="uvloop", http="httptools")).run([listener])
