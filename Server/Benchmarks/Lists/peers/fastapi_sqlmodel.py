"""The first page of a user's moods by FastAPI, written as in FastAPI's own tutorial: SQLModel, one database session for each request by
`Depends`, plain `def` functions, which FastAPI runs in threads, and a response model."""

import json
from typing import Annotated

from answers import PEER, Mood, Moods, Pagination, claims, cursor, entry_files, expiry, link, run
from fastapi import Depends, FastAPI, HTTPException, Query, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlmodel import Field, Session, SQLModel, create_engine, select


class Account(SQLModel, table=True):
    id: str = Field(primary_key=True)


class SignIn(SQLModel, table=True):
    __tablename__ = "session"
    id: str = Field(primary_key=True)
    account: str = Field(foreign_key="account.id")
    ended_at: int | None


class Moment(SQLModel, table=True):
    id: str = Field(primary_key=True)
    owner: str
    kind: str
    created_at: int
    category: str
    group_id: str | None
    tags: str
    mood: str | None
    note: str | None
    reason: str | None
    interests: str
    intensity: int | None
    voice_ms: int | None
    pictures: str
    voice: str | None
    files: str


engine = create_engine(f"sqlite:///{PEER['database']}", connect_args={"check_same_thread": False})


def get_session():
    with Session(engine) as session:
        yield session


SessionDep = Annotated[Session, Depends(get_session)]
bearer = HTTPBearer()


def signed_in(userId: str, credentials: Annotated[HTTPAuthorizationCredentials, Depends(bearer)], session: SessionDep) -> str:
    known = claims(credentials.credentials)
    found = session.exec(
        select(SignIn).join(Account).where(SignIn.id == known["sid"], SignIn.account == known["sub"], SignIn.ended_at.is_(None))).first()
    if found is None:
        raise HTTPException(401)
    if userId != known["sub"]:
        raise HTTPException(403)
    return known["sub"]


app = FastAPI()


@app.get("/api/users/user/{userId}/moods", response_model_exclude_unset=True)
def list_moods(
    response: Response, owner: Annotated[str, Depends(signed_in)], session: SessionDep, limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> Moods:
    moments = session.exec(
        select(Moment).where(Moment.owner == owner, Moment.kind == "mood").order_by(Moment.created_at.desc(), Moment.id.desc())
        .limit(limit + 1)).all()
    shown, expires = moments[:limit], expiry()
    moods = []
    for moment in shown:
        optional = {
            "note": moment.note, "voiceNote": link(owner, moment.voice, expires) if moment.voice else None, "reason": moment.reason,
            "moodIntensity": moment.intensity, "groupId": moment.group_id,
            "voiceNoteDuration": moment.voice_ms / 1_000 if moment.voice and moment.voice_ms is not None else None,
        }
        moods.append(Mood(
            id=moment.id, mood=moment.mood, tags=json.loads(moment.tags), interests=json.loads(moment.interests),
            createdAt=moment.created_at // 1_000, category=moment.category,
            imageUrls=[link(owner, picture, expires) for picture in json.loads(moment.pictures)], files=entry_files(moment.files),
            **{key: value for key, value in optional.items() if value is not None}))
    last = shown[-1] if len(moments) > limit else None
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    pagination = Pagination(hasMore=last is not None, nextCursor=cursor(owner, last.created_at, last.id) if last else None)
    return Moods(success=True, moods=moods, pagination=pagination)


if __name__ == "__main__":
    run(app)
