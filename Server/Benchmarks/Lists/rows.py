"""Fills a Keepsake database with realistic moods. It inserts rows but makes no files, because lists read no files."""

import hashlib
import random
import uuid

from tables import fill_sqlite

NOTES = [
    "Ein schöner Tag am See, das Wasser war noch warm 🌊 und niemand hatte es eilig.",
    "Finally finished the big project. Slept badly, but it was worth it.",
    "Lunch with Jörg: he said \"let's go back there\", and we will.",
]
NEWEST = 1_796_070_000_000_000  # microseconds


def fill(path, owner, moods):
    """Inserts `moods` moods of `owner` into an SQLite file."""
    fill_sqlite(path, mood_tables(owner, moods))


def mood_tables(owner, moods, seed=1):
    """Makes `moods` moods of `owner`, each with two pictures and two or three tags, and every fourth with a voice note. Returns a list of
    (table, columns, rows)."""
    chance = random.Random(seed)
    identifier = lambda: str(uuid.UUID(int=chance.getrandbits(128), version=4))
    blobs, media, moments, tags, files = [], [], [], [], []
    for number in range(moods):
        moment, at = identifier(), NEWEST - number * 3_600_123_457
        own = ["summer", "family", "berlin", "Grüße", "work"]
        chance.shuffle(own)
        own = own[:2 + number % 2]
        has_voice = number % 4 == 0
        group = identifier()
        own_files = []
        for position, role in enumerate(["picture", "picture", "voice"][:2 + has_voice]):
            file, blob = identifier(), identifier()
            digest = hashlib.sha256(blob.encode()).hexdigest()
            blobs.append((blob, owner, digest, 2_000_000, 1, "live", at))
            kind, name = ("audio/mp4", "voice.m4a") if role == "voice" else ("image/jpeg", "strand.jpg")
            media.append((file, owner, blob, name, kind, digest, 2_000_000, "voice" if role == "voice" else "mood", "[]", group, at))
            files.append((moment, position, role, file, owner))
            own_files.append((file, kind))
        moments.append((
            moment, owner, "mood", at, at, "general", group, _list(own), chance.choice(["happy", "calm", "grateful", "anxious", "müde"]),
            chance.choice(NOTES), None if number % 3 == 0 else "Weekend with the family", _list(["music", "hiking"]), 1 + number % 10,
            12_480 if has_voice else None, _list(file for file, _ in own_files[:2]), own_files[2][0] if has_voice else None,
            _list(f"{file} {kind}" for file, kind in own_files)))
        tags += [(moment, owner, "mood", tag, "general", group, at, at) for tag in own]
    return [
        ("blob", "key, owner, sha256, byte_count, refs, state, created_at", blobs),
        ("media", "id, owner, blob, name, type, sha256, byte_count, category, tags, group_id, created_at", media),
        ("moment", "id, owner, kind, created_at, happened_at, category, group_id, tags, mood, note, reason, interests, intensity, voice_ms, "
         "pictures, voice, files", moments),
        ("moment_tag", "moment, owner, kind, tag, category, group_id, created_at, happened_at", tags),
        ("moment_file", "moment, position, role, media, owner", files),
    ]


def _list(texts):
    return "[" + ",".join(f'"{text}"' for text in texts) + "]"
