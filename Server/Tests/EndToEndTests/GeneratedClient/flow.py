"""Uses a client that openapi-python-client generated: flow.py URL FOLDER PHOTO VOICE. FOLDER contains the package keepsake_client.

The WebSocket of captures is the only thing here that is not the generated client: OpenAPI cannot describe its messages.
"""

import asyncio
import json
import sys
import time
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import websockets

url, folder, photo, voice = sys.argv[1], sys.argv[2], Path(sys.argv[3]).read_bytes(), Path(sys.argv[4]).read_bytes()
sys.path.insert(0, folder)

from keepsake_client import AuthenticatedClient, Client  # noqa: E402
from keepsake_client.api.account_data import delete_account  # noqa: E402
from keepsake_client.api.accounts import log_in, read_me, register  # noqa: E402
from keepsake_client.api.capsules import complete_capsule, create_capsule, put_capsule_audio, read_capsule  # noqa: E402
from keepsake_client.api.captures import read_capture, upload_capture_file  # noqa: E402
from keepsake_client.api.chat import send_chat_message  # noqa: E402
from keepsake_client.api.cove_events import create_cove_event, read_cove_event, update_rsvp  # noqa: E402
from keepsake_client.api.coves import create_cove  # noqa: E402
from keepsake_client.api.media import serve_file, upload_media  # noqa: E402
from keepsake_client.api.moments import create_mood  # noqa: E402
from keepsake_client.api.search import search  # noqa: E402
from keepsake_client.api.timeline import read_timeline  # noqa: E402
from keepsake_client.models import (  # noqa: E402
    CodedProblem,
    CompleteCapsuleBody,
    CreateCapsuleBody,
    CreateCoveBody,
    CreateCoveEventBody,
    CreateMoodFilesBody,
    CreateMoodJsonBody,
    DeleteAccountBody,
    LogInBody,
    MultimediaProblem,
    RegisterBody,
    RSVPStatus,
    SendChatMessageBody,
    UpdateRsvpBody,
    UploadCaptureFileBody,
    UploadMediaBody,
)
from keepsake_client.types import File  # noqa: E402


def jpeg(name):
    return File(payload=BytesIO(photo), file_name=name, mime_type="image/jpeg")


def done(step):
    print(step, flush=True)


def wait(read, is_done):
    """Reads again until `is_done`, for at most 30 seconds."""
    end = time.monotonic() + 30
    while not is_done(value := read()):
        assert time.monotonic() < end, value
        time.sleep(0.1)
    return value


# A status or a value that the description does not have is an error.
options = {"base_url": url, "raise_on_unexpected_status": True, "timeout": 30}
stranger = Client(**options)
account = {"email": f"grace@example.org", "password": "an anchor in the harbour"}
assert register.sync(client=stranger, body=RegisterBody(name="Grace", **account)).user.name == "Grace"
signed_in = log_in.sync(client=stranger, body=LogInBody(**account))
wrong = log_in.sync(client=stranger, body=LogInBody(email=account["email"], password="a wrong one"))
assert isinstance(wrong, CodedProblem) and wrong.error == "unauthorized", wrong
me = signed_in.user.id
client = AuthenticatedClient(token=signed_in.token.access_token, **options)
done("login")

stored = upload_media.sync(me, client=client, body=UploadMediaBody(file=[jpeg("a.jpg"), jpeg("b.jpg")], tags="lake,summer"))
assert stored.count == 2 and stored.errors is None, stored
loaded = serve_file.sync(me, stored.files[0].data.file_id, client=client)
assert isinstance(loaded, File) and loaded.payload.read() == photo, loaded
refused = serve_file.sync(me, "no-such-file", client=client)
assert isinstance(refused, MultimediaProblem) and refused.code == 404, refused
done("upload")

mood = create_mood.sync(
    me, client=client, body=CreateMoodFilesBody(mood="calm", note="By the lighthouse", file=[jpeg("c.jpg")], mood_intensity=7)
).mood
assert mood.note == "By the lighthouse" and len(mood.image_urls) == 1, mood
done("mood with photo")

for number in range(12):
    assert create_mood.sync(me, client=client, body=CreateMoodJsonBody(mood="busy", tags=[f"day {number}"])).success
pages = []
cursor = {}
for _ in range(3):
    page = read_timeline.sync(me, client=client, limit=5, **cursor)
    pages.append([(item.kind, (item.mood or item.file).to_dict().get("id", item.at)) for item in page.items])
    cursor = {"cursor": page.pagination.next_cursor}
assert [len(page) for page in pages] == [5, 5, 5] and page.pagination.has_more is False, pages
assert len({entry for page in pages for entry in page}) >= 14, pages
done("timeline")

found = search.sync(me, client=client, q="lighthouse").items
assert [item.mood.id for item in found] == [mood.id] and found[0].snippets[0].marks, found
assert search.sync(me, client=client, q="灯台").items == []
done("search")

made = create_capsule.sync(client=client, body=CreateCapsuleBody(duration=2.0, file_size=len(voice)))
query = {name: values[0] for name, values in parse_qs(urlsplit(made.upload_url).query).items()}
put_capsule_audio.sync(made.capsule.id, client=stranger, body=File(payload=BytesIO(voice)), **query)
complete_capsule.sync(made.capsule.id, client=client, body=CompleteCapsuleBody())
capsule = wait(lambda: read_capsule.sync(made.capsule.id, client=client), lambda capsule: capsule.status == "completed")
assert capsule.audio_url and capsule.metadata.waveform, capsule
done("capsule")

cove = create_cove.sync(client=client, body=CreateCoveBody(name="Keepers", location="The lighthouse")).cove
event = create_cove_event.sync(
    client=client,
    body=CreateCoveEventBody(cove_id=cove.id, name="Night watch", date=datetime.now(UTC) + timedelta(days=7), location="The lamp room"),
).event
assert update_rsvp.sync(client=client, body=UpdateRsvpBody(event_id=event.id, status=RSVPStatus.GOING)).rsvp.status == "GOING"
read = read_cove_event.sync(client=client, event_id=event.id).event
assert (read.going_count, read.cove.cover_photo) == (1, None), read
done("cove")


async def send_capture(message):
    socket = url.replace("http", "ws", 1) + f"/ws/ios/{me}"
    async with websockets.connect(socket, additional_headers={"Authorization": f"Bearer {client.token}"}) as connection:
        await connection.send(json.dumps(message))
        return json.loads(await connection.recv())


upload_capture_file.sync("walk-1", client=client, body=UploadCaptureFileBody(file=jpeg("photo.jpg")))
message = {"type": "memory_capture", "id": "walk-1", "timestamp": "2026-01-24T15:30:00Z", "transcription": "I met Nora at the harbour."}
assert asyncio.run(send_capture(message))["status"] == "received"
capture = wait(lambda: read_capture.sync("walk-1", client=client), lambda capture: capture.processed)
assert capture.analysis.engine == "local" and capture.analysis.mentioned_names == ["Nora"], capture
done("capture")

answer = send_chat_message.sync("local", client=client, body=SendChatMessageBody(text="When did I meet Nora?"))
assert answer.final and answer.response_message.text, answer
done("chat")

receipt = delete_account.sync(client=client, body=DeleteAccountBody(keep_coves=True))
assert receipt.account_id == me, receipt
assert isinstance(read_me.sync(client=client), CodedProblem)
done("deletion")
