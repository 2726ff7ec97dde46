"""The first page of a user's moods by FastAPI, tuned for one process: everything runs on the event loop, without an ORM, on one connection
of the standard library's sqlite3, which caches its statements. While a statement runs, all other requests wait."""

import json
import sqlite3
from typing import Annotated

from answers import PEER, Mood, Moods, Pagination, claims, cursor, entry_files, expiry, link, run
from fastapi import Depends, FastAPI, HTTPException, Query, Request, Response

database = sqlite3.connect(PEER["database"], isolation_level=None, timeout=10)
database.execute("PRAGMA foreign_keys = ON")
if database.execute("PRAGMA journal_mode").fetchone() != ("wal",):
    raise SystemExit("the file is not in WAL mode")

SESSION = """SELECT account.is_admin FROM session JOIN account ON account.id = session.account
    WHERE session.id = ? AND session.account = ? AND session.ended_at IS NULL"""
PAGE = """SELECT id, created_at, category, group_id, tags, mood, note, reason, interests, intensity, voice_ms, pictures, voice, files
    FROM moment WHERE owner = ? AND kind = 'mood' ORDER BY created_at DESC, id DESC LIMIT ?"""


# This function is asynchronous although it never awaits: otherwise FastAPI would run it in its thread pool, and each request would cost two
# more thread switches.
async def signed_in(request: Request, userId: str) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme != "Bearer" or not token:
        raise HTTPException(401)
    known = claims(token)
    if database.execute(SESSION, (known["sid"], known["sub"])).fetchone() is None:
        raise HTTPException(401)
    if userId != known["sub"]:
        raise HTTPException(403)
    return known["sub"]


app = FastAPI()


@app.get("/api/users/user/{userId}/moods", response_model_exclude_unset=True)
async def list_moods(
    response: Response, owner: Annotated[str, Depends(signed_in)], limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> Moods:
    rows = database.execute(PAGE, (owner, limit + 1)).fetchall()
    shown = rows[:limit]
    expires = expiry()
    moods = []
    for id, created_at, category, group, tags, mood, note, reason, interests, intensity, voice_ms, pictures, voice, files in shown:
        optional = {
            "note": note, "voiceNote": link(owner, voice, expires) if voice else None, "reason": reason, "moodIntensity": intensity,
            "groupId": group,
            "voiceNoteDuration": voice_ms / 1_000 if voice and voice_ms is not None else None,
        }
        moods.append(Mood(
            id=id, mood=mood, tags=json.loads(tags), interests=json.loads(interests), createdAt=created_at // 1_000,
            imageUrls=[link(owner, picture, expires) for picture in json.loads(pictures)], category=category,
            files=entry_files(files),
            **{key: value for key, value in optional.items() if value is not None}))
    last = shown[-1] if len(rows) > limit else None
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    pagination = Pagination(hasMore=last is not None, nextCursor=cursor(owner, last[1], last[0]) if last else None)
    return Moods(success=True, moods=moods, pagination=pagination)


if __name__ == "__main__":
    run(app)
