# Which shapes each operation gets.
import re
import files
from bodies import Shape, dump, json_shapes
from forms import encoded_shapes, file_shapes, multipart_shapes, raw_shapes, sides
from heads import head_shapes
from urllib.parse import quote
from wire import Request, form

SIZES = [16_777_216 >> shift for shift in range(12)]
ENDINGS = ("delete", "remove", "leave", "end", "cancel", "reject", "block", "sign", "suspend", "merge", "demote")


def order(operation):
    """Operations that read come first, those that end something last."""
    if operation.method == "GET":
        return 2 if operation.is_socket else 0
    if "account" in operation.id.lower() or operation.id in ("deleteUser", "removeUser", "endSessions", "changePassword"):
        return 4
    return 3 if operation.method == "DELETE" or operation.id.lower().startswith(ENDINGS) else 1


class Plan:
    """The requests for one operation."""

    def __init__(self, operation, world, few):
        self.operation, self.world, self.few = operation, world, few
        self.limit = None

    def plain(self, random, path=None, query=None, fields=(), body=None):
        operation, world = self.operation, self.world
        values = {one["name"]: (path or {}).get(one["name"]) or quote(world.path_value(operation, one)) for one in operation.named("path")}
        address = re.sub(r"\{(\w+)\}", lambda found: values[found.group(1)], operation.path)
        pairs = list(query or [])
        given = {name for name, _ in pairs}
        for one in operation.named("query"):
            if one["name"] == "wait":
                pairs.append(("wait", "0"))
            elif one.get("required") and one["name"] not in given:
                value = world.known(one["name"]) or operation.description.sample(one.get("schema", {}), random)
                pairs.append((one["name"], quote(str(one.get("example", value) if not world.known(one["name"]) else value))))
        if not path and operation.path.endswith("/{id}/upload") and "upload_url" in world.ids:
            address = world.ids["upload_url"]
        if pairs:
            address += ("&" if "?" in address else "?") + "&".join(f"{name}={value}" if name else value for name, value in pairs)
        if body is None and operation.bodies:
            body, kind = self.valid_body(random)
            if not any(name == "Content-Type" for name, _ in fields):
                fields = [("Content-Type", kind), *fields]
        return Request(operation.method, address, fields, body)

    def valid_body(self, random):
        operation = self.operation
        if "application/json" in operation.bodies:
            return dump(self.base(random)), "application/json"
        if "multipart/form-data" in operation.bodies:
            values = self.base(random, "multipart/form-data")
            members = operation.description.concrete(operation.bodies["multipart/form-data"]).get("properties", {})
            return form([("", name, None, None, str(value)) for name, value in values.items()] + sides(members) + self.file(random))
        return self.world.samples["wav"], "application/octet-stream"

    def file(self, random):
        for name, title, file_name, kind, _ in file_shapes(self.operation, "multipart/form-data"):
            content = files.png(b"", random) if kind == "image/png" else self.world.samples["wav"]
            return [("", name, file_name, kind, content)]
        return []

    def base(self, random, kind="application/json"):
        operation = self.operation
        schema = operation.bodies.get(kind) or operation.message
        description = operation.description
        value = operation.examples.get(kind)
        sample = description.sample(schema, random, "", self.world.known)
        if not isinstance(value, dict):
            value = sample
        value = {**value, **{name: one for name, one in sample.items() if self.world.known(name) is not None or name not in value}}
        members = description.concrete(schema).get("properties", {})
        for name, member in members.items():
            if description.concrete(member).get("format") == "binary":
                value.pop(name, None)
        if operation.id == "onboard" or not isinstance(value, dict):
            return value
        if "messageId" in value:
            value.pop("messageId")
        return value

    def find_limit(self, send):
        """The largest size of a JSON body that the server accepts."""
        for size in SIZES:
            body = dump(self.base(self.world.random))
            filled = body[:-1] + (b"," if len(body) > 2 else b"") + b'"zz":"' + b"a" * (size - len(body) - 10) + b'"}'
            request = self.plain(self.world.random, fields=[("Content-Type", "application/json")], body=filled[:size])
            if send(request).status not in (413, 0):
                return size
        return SIZES[-1]

    def shapes(self, send):
        operation, few = self.operation, self.few
        plain = self.plain
        if operation.is_socket:
            if operation.message:
                found = re.search(r"frames of at most (\d+) KB", operation.item["description"].replace("\n", " "))
                self.limit = int(found.group(1)) * 1024 if found else 16_384
                yield from json_shapes(operation.description, operation, operation.message, lambda body: Request(
                    "GET", self.plain(self.world.random).path, [], body), self.base, self.limit, few)
            return
        yield from head_shapes(operation, plain, few)
        for kind, schema in operation.bodies.items():
            fields = [("Content-Type", kind)]
            if kind == "application/json":
                self.limit = self.find_limit(send)
                yield from json_shapes(operation.description, operation, schema, lambda body: plain(
                    self.world.random, fields=fields, body=body), self.base, self.limit, few)
            elif kind == "multipart/form-data":
                yield from multipart_shapes(operation, plain, lambda random: self.base(random, "multipart/form-data"), few)
            elif kind == "application/x-www-form-urlencoded":
                yield from encoded_shapes(
                    operation, plain, lambda random: self.base(random, kind), 262_144, few)
            else:
                yield from raw_shapes(operation, plain, few)
        if not operation.bodies:
            yield Shape("a body that nobody reads", lambda random: plain(random, body=b"[" * 16_000))
