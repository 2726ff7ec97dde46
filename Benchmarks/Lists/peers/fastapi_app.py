"""The first page of a person's moods by FastAPI under uvicorn, as somebody who knows both would write it: one connection of the standard
library's sqlite3 (which keeps its statements), PyJWT, one HMAC a link. PEER names a JSON file that says what to serve."""

import hmac
import json
import os
import socket
import sqlite3
import time
from base64 import urlsafe_b64encode
from typing import Annotated

import jwt
import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Query, Request, Response
from pydantic import BaseModel

with open(os.environ["PEER"]) as file:
    PEER = json.load(file)
LINK_SECRET, CURSOR_SECRET = bytes.fromhex(PEER["linkSecret"]), bytes.fromhex(PEER["cursorSecret"])
KEYS = {key["kid"]: jwt.PyJWK(key).key for key in PEER["keys"]["keys"]}

database = sqlite3.connect(PEER["database"], isolation_level=None, timeout=10)
database.execute("PRAGMA foreign_keys = ON")
if database.execute("PRAGMA journal_mode").fetchone() != ("wal",):
    raise SystemExit("the file is not in WAL mode")

SESSION = """SELECT account.is_admin FROM session JOIN account ON account.id = session.account
    WHERE session.id = ? AND session.account = ? AND session.ended_at IS NULL"""
PAGE = """SELECT id, created_at, category, group_id, tags, mood, note, reason, interests, intensity, voice_ms
    FROM moment WHERE owner = ? AND kind = 'mood' ORDER BY created_at DESC, id DESC LIMIT ?"""
FILES = """SELECT moment, role, media FROM moment_file WHERE owner = ? AND kind = 'mood'
    AND (created_at, moment) <= (?, ?) AND (created_at, moment) >= (?, ?) ORDER BY created_at, moment, position"""


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


class Pagination(BaseModel):
    hasMore: bool
    nextCursor: str | None


class Moods(BaseModel):
    success: bool = True
    moods: list[Mood]
    pagination: Pagination


def seal(secret, *parts):
    """The lengths in front are Keepsake's, so that all servers give the same answer."""
    encoded = [part.encode() for part in parts]
    message = b"".join(piece for part in encoded for piece in (len(part).to_bytes(8, "little"), part))
    return hmac.digest(secret, message, "sha256")[:16]


def base64url(content):
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def link(owner, media, expires):
    path = f"/api/users/user/{owner}/multimedia/files/{media}"
    return f"{PEER['url']}{path}?expires={expires}&signature={base64url(seal(LINK_SECRET, 'link', 'GET', path, expires))}"


def cursor(owner, created_at, moment):
    payload = f"{created_at}\x1f{moment}"
    return base64url(seal(CURSOR_SECRET, "cursor.moments", payload, owner, "mood", "", "", "") + payload.encode())


# Asynchronous although nothing waits: in a thread of FastAPI's pool each request would cost two changes of thread more.
async def signed_in(request: Request, userId: str) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme != "Bearer" or not token:
        raise HTTPException(401)
    try:
        header = jwt.get_unverified_header(token)
        if header.get("typ") != "at+jwt" or header.get("kid") not in KEYS:
            raise HTTPException(401)
        claims = jwt.decode(token, KEYS[header["kid"]], algorithms=["ES256"], issuer=PEER["issuer"], audience=PEER["audience"])
    except jwt.InvalidTokenError:
        raise HTTPException(401) from None
    if database.execute(SESSION, (claims["sid"], claims["sub"])).fetchone() is None:
        raise HTTPException(401)
    if userId != claims["sub"]:
        raise HTTPException(403)
    return claims["sub"]


app = FastAPI()


@app.get("/api/users/user/{userId}/moods", response_model_exclude_unset=True)
async def list_moods(
    response: Response, owner: Annotated[str, Depends(signed_in)], limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> Moods:
    rows = database.execute(PAGE, (owner, limit + 1)).fetchall()
    shown = rows[:limit]
    expires = str((int(time.time()) // 86_400 + 1 + 7) * 86_400)
    pictures, voices = {row[0]: [] for row in shown}, {}
    if shown:
        first, end = shown[0], shown[-1]
        for moment, role, media in database.execute(FILES, (owner, first[1], first[0], end[1], end[0])):
            if role == "voice":
                voices[moment] = link(owner, media, expires)
            else:
                pictures[moment].append(link(owner, media, expires))
    moods = []
    for id, created_at, category, group, tags, mood, note, reason, interests, intensity, voice_ms in shown:
        optional = {
            "note": note, "voiceNote": voices.get(id), "reason": reason, "moodIntensity": intensity, "groupId": group,
            "voiceNoteDuration": voice_ms / 1_000 if id in voices and voice_ms is not None else None,
        }
        moods.append(Mood(
            id=id, mood=mood, tags=json.loads(tags), interests=json.loads(interests), createdAt=created_at // 1_000,
            imageUrls=pictures[id], category=category, **{key: value for key, value in optional.items() if value is not None}))
    last = shown[-1] if len(rows) > limit else None
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    pagination = Pagination(hasMore=last is not None, nextCursor=cursor(owner, last[1], last[0]) if last else None)
    return Moods(success=True, moods=moods, pagination=pagination)


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    # uvloop and httptools, as `uvicorn[standard]` has them; no line a request.
    uvicorn.Server(uvicorn.Config(app, access_log=False, log_level="warning", loop="uvloop", http="httptools")).run([listener])
