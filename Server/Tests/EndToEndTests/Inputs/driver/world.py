# The accounts of the campaign, and one of each thing that routes need.
import json, subprocess, time
from description import UUID, png
from wire import Client, Request, Socket, form

JSON = [("Content-Type", "application/json")]
PASSWORD = "correct horse battery"
# Operations after which a credential no longer works. They get an account of their own.
ENDING = ("/auth/signout", "/auth/delete", "/delete-user", "/auth/session", "/auth/sessions", "/auth/password/change", "/auth/email")


class World:
    def __init__(self, port, binary, data, random, samples):
        self.port, self.binary, self.data, self.random, self.samples = port, binary, data, random, samples
        self.client = Client(port)
        self.ids, self.paths, self.tokens = {}, {}, {}
        self.main = self.account("main", ["--admin"])
        self.friend = self.account("friend")
        self.victim = self.account("victim")

    def account(self, name, more=()):
        command = [self.binary, "token", "--data", self.data, "--email", f"{name}@example.org", "--json", *more]
        made = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        self.tokens[name] = made["access_token"]
        return {"id": made["user_id"], "token": made["access_token"], "refresh": made["refresh_token"]}

    def token(self, operation):
        if not operation.needs_account:
            return None
        if operation.path.startswith(ENDING) and operation.method != "GET":
            return self.tokens.get("leaver") or self.account("leaver")["token"]
        return self.main["token"]

    def renew(self, operation):
        """A new credential, after an operation has ended the last one. False when the operation has none."""
        if not operation.needs_account:
            return False
        if operation.path.startswith(ENDING):
            self.account("leaver")
        else:
            self.main = {**self.account("main", ["--admin"])}
        return True

    def call(self, method, path, content=None, who=None, fields=None):
        body = json.dumps(content).encode() if isinstance(content, (dict, list)) else content
        request = Request(method, path, fields or (JSON if isinstance(content, dict) else []), body)
        return self.client.send(request, (who or self.main)["token"])

    def keep(self, name, answer, *steps):
        """Keeps an id from an answer under `name`, and prints answers that have none."""
        value = answer.json()
        for step in steps:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                print(f"preparation: no {name}: {answer.status} {answer.body[:200]!r}", flush=True)
                return None
        self.ids[name] = value
        return value

    def make(self):
        call, keep = self.call, self.keep
        user = f"/api/users/user/{self.main['id']}"
        for who in (self.main, self.friend):
            call("POST", "/onboard", {"name": "Somebody"}, who)
        for kind, text in (("moods", "mood"), ("memories", "title"), ("events", "title")):
            answer = call("POST", f"{user}/{kind}/swift", {text: "calm", "description": "at the lake", "date": "2026-03-01T10:00:00Z"})
            self.paths[f"/{kind}/{{id}}"] = keep(kind, answer, {"moods": "mood", "memories": "memory", "events": "event"}[kind], "id")
        picture = [("", "file", "a.png", "image/png", png(32, self.random))]
        body, kind = form(picture)
        answer = call("POST", user + "/multimedia/swift", body, None, [("Content-Type", kind)])
        if keep("fileId", answer, "files", 0, "data", "fileId"):
            self.paths["/multimedia/{id}"] = (answer.json()["files"][0]["data"].get("id") or self.ids["fileId"])
            self.paths["/files/{fileId}"] = self.paths["/shared/{fileId}"] = self.ids["fileId"]
            self.ids["fileIds"] = [self.ids["fileId"]]
            self.ids["bestFacePhoto"] = None
        keep("archiveId", call("POST", user + "/multimedia/archives", {"fileIds": self.ids.get("fileIds", [])}), "url")
        cove = keep("coveId", call("POST", "/create-cove", {"name": "Chess club", "location": "Here"}), "cove", "id")
        call("POST", "/join-cove", {"coveId": cove}, self.friend)
        event = {"coveId": cove, "name": "Game", "date": "2035-01-01T08:00:00Z", "location": "Here"}
        keep("eventId", call("POST", "/create-event", event), "event", "id")
        call("POST", "/update-event-rsvp", {"eventId": self.ids.get("eventId"), "status": "GOING"})
        invites = call("POST", "/send-invite", {"coveId": cove, "phoneNumbers": ["+4915112345678"]})
        if invites.status == 200:
            keep("inviteId", call("GET", f"/sent-invites?coveId={cove}"), "invites", 0, "id")
        call("POST", "/send-friend-request", {"toUserIds": [self.main["id"]]}, self.friend)
        keep("requestId", call("GET", "/friend-requests"), "requests", 0, "id")
        self.chat(picture)
        self.capsule()
        self.capture()
        keep("photoId", call("POST", "/userImage", {"data": self.samples["base64"]}), "photo", "id")
        self.paths["/admin/users/{id}"] = self.ids["userId"] = self.friend["id"]
        self.ids["recipientId"], self.ids["toUserIds"] = self.friend["id"], [self.friend["id"]]
        call("POST", "/report", {"kind": "user", "id": self.friend["id"], "reason": "rude"})
        for name in ("reports", "jobs"):
            found = call("GET", f"/admin/{name}").json() or {}
            first = next((one for one in found.values() if isinstance(one, list) and one), [{}])[0]
            self.paths[f"/admin/{name}/{{id}}"] = first.get("id")
        self.call("PATCH", "/user/me", {"name": "Main"})
        self.ids["q"] = "calm"

    def chat(self, picture):
        answer = self.call("POST", "/api/chat/agents/chat/local", {"text": "When was I at the lake?"})
        self.paths["/convos/{id}"] = self.keep("conversationId", answer, "conversation", "conversationId")
        parts = [("", "width", None, None, "32"), ("", "height", None, None, "32")] + picture
        body, kind = form(parts)
        answer = self.call("POST", "/api/chat/files/upload", body, None, [("Content-Type", kind)])
        if self.keep("file_id", answer, "file_id"):
            self.paths["images/{userId}/{name}"] = answer.json()["filepath"].rsplit("/", 1)[1]
        body, kind = form([("", "file", "a.txt", "text/plain", "Dear friend,")])
        answer = self.call("POST", "/api/chat/files/upload", body, None, [("Content-Type", kind)])
        if self.keep("fileId of a chat", answer, "file_id"):
            self.paths["uploads/{userId}/{name}"] = answer.json()["filepath"].rsplit("/", 1)[1]
            self.paths["/api/chat/files/{fileId}"] = self.ids["fileId of a chat"]

    def capsule(self):
        answer = self.call("POST", "/v0/capsules", {"duration": 1, "file_size": len(self.samples["wav"])})
        self.paths["/capsules/{id}"] = self.keep("capsule", answer, "capsule", "id")
        if answer.status in (200, 201):
            self.ids["upload_url"] = "/" + answer.json()["upload_url"].split("/", 3)[3]

    def capture(self):
        socket = Socket(self.port, f"/ws/ios/{self.main['id']}", self.main["token"])
        if socket.status == 101:
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            # Routes change the first one, and what it mentions.
            for name, words in (("capture-1", "A walk."), ("capture-2", "Just met with John."), ("capture-3", "Lunch with John and Anna.")):
                text = {"type": "memory_capture", "id": name, "timestamp": stamp, "transcription": words}
                socket.send(json.dumps(text).encode())
        socket.close()
        body, kind = form([("", "file", "a.png", "image/png", png(24, self.random))])
        self.call("POST", "/upload/capture-1", body, None, [("Content-Type", kind)])
        self.paths["/captures/{id}"] = "capture-1"
        self.paths["{captureId}"] = "capture-1"
        self.ids["captureIds"] = ["capture-2"]
        for attempt in range(50):
            found = (self.call("GET", "/contacts/known").json() or {}).get("items") or []
            if len(found) > 1 or found and attempt > 10:
                break
            time.sleep(0.1)
        if found:
            self.paths["/contacts/known/{id}"], self.ids["into"] = found[0]["id"], found[-1]["id"]

    def known(self, name):
        return self.ids.get(name)

    def path_value(self, operation, parameter):
        """The id of an existing thing for a parameter of a path, else one that no thing has."""
        name = parameter["name"]
        if name == "userId":
            return self.main["id"]
        best = max((ending for ending in self.paths if ending in operation.path and "{" + name + "}" in ending), key=len, default=None)
        if best and self.paths[best]:
            return str(self.paths[best])
        if self.ids.get(name):
            return str(self.ids[name])
        if name == "name":
            return "photo.jpg"
        if name == "date":
            return time.strftime("%Y-%m-%d", time.gmtime())
        schema = parameter.get("schema", {})
        return str(parameter.get("example") or (schema.get("examples") or [None])[0] or UUID)

    def usual_wait(self, client):
        """Seconds that a small request of another account waits."""
        return client.send(Request("GET", "/user/me"), self.victim["token"]).seconds
