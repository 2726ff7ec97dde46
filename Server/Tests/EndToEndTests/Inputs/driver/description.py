# The operations of the server's OpenAPI description, and valid values for their parameters and bodies.
import base64, re, zlib, struct

METHODS = ("get", "post", "put", "patch", "delete")
UUID = "0193f3a1-0d5e-7b21-8c44-6a0f1e2d3c4b"


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(side, random):
    """A PNG of noise, so that each is another file."""
    rows = b"".join(b"\0" + random.randbytes(side * 3) for _ in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Operation:
    def __init__(self, description, method, path, item, shared):
        self.description, self.method, self.path, self.item = description, method.upper(), path, item
        self.id = item["operationId"]
        self.parameters = [description.resolve(one) for one in shared + item.get("parameters", [])]
        content = description.resolve(item.get("requestBody", {})).get("content", {})
        self.bodies = {kind: description.resolve(one.get("schema", {})) for kind, one in content.items()}
        self.examples = {kind: one.get("example") for kind, one in content.items()}
        self.encodings = {kind: one.get("encoding", {}) for kind, one in content.items()}
        security = item.get("security", [])
        self.needs_account = any("bearer" in one for one in security)
        self.is_socket = "101" in item["responses"]
        self.message = self.find_message()

    def find_message(self):
        """The schema of the frames that a client sends over the operation's WebSocket."""
        found = re.search(r"client sends `(\w+)`", self.item.get("description", "").replace("\n", " "))
        return self.description.resolve({"$ref": "#/components/schemas/" + found.group(1)}) if self.is_socket and found else None

    def title(self):
        return f"{self.method} {self.path}"

    def named(self, place):
        return [one for one in self.parameters if one["in"] == place]


class Description:
    def __init__(self, document):
        self.document = document

    def resolve(self, value):
        while "$ref" in value:
            rest = {name: one for name, one in value.items() if name != "$ref"}
            target = self.document
            for step in value["$ref"][2:].split("/"):
                target = target[step.replace("~1", "/").replace("~0", "~")]
            value = {**target, **rest}
        for one in value.get("allOf", []):
            one = self.resolve(one)
            merged = {**one, **{name: kept for name, kept in value.items() if name != "allOf"}}
            merged["properties"] = {**one.get("properties", {}), **value.get("properties", {})}
            value = merged
        return value

    def operations(self):
        found = []
        for path, item in self.document["paths"].items():
            for method in METHODS:
                if method in item:
                    found.append(Operation(self, method, path, item[method], item.get("parameters", [])))
        return found

    def kind(self, schema):
        """The type of a schema: string, array, object, integer, number or boolean."""
        schema = self.resolve(schema)
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next(one for one in kind if one != "null")
        for one in schema.get("oneOf", []) + schema.get("anyOf", []) if kind is None else []:
            found = self.kind(one)
            if found and found != "null":
                return found
        return kind or ("object" if "properties" in schema else None)

    def concrete(self, schema):
        """The first alternative of a schema that is not null."""
        schema = self.resolve(schema)
        if "type" not in schema and "properties" not in schema:
            for one in schema.get("oneOf", []) + schema.get("anyOf", []):
                if self.resolve(one).get("type") != "null":
                    return self.concrete(one)
        return schema

    def sample(self, schema, random, name="", known=None):
        """A valid value. `known(name)` gives the ids of existing things."""
        schema = self.concrete(schema)
        found = known(name) if known and self.kind(schema) in ("string", "array") else None
        if found is not None:
            return found if (self.kind(schema) == "array") == isinstance(found, list) else [found]
        for key in ("const", "example"):
            if key in schema:
                return schema[key]
        for key in ("examples", "enum"):
            if schema.get(key):
                return schema[key][0]
        kind = self.kind(schema)
        if kind == "object":
            members = schema.get("properties", {})
            wanted = schema.get("required") or list(members)[:1]
            return {one: self.sample(members[one], random, one, known) for one in wanted if one in members}
        if kind == "array":
            return [self.sample(schema.get("items", {}), random, name, known)] * max(1, schema.get("minItems", 0))
        if kind in ("integer", "number"):
            return max(1, schema.get("minimum", 1))
        if kind == "boolean":
            return True
        return self.sample_text(schema, random)

    @staticmethod
    def sample_text(schema, random):
        form = schema.get("format")
        if schema.get("contentEncoding") == "base64":
            return base64.b64encode(png(8, random)).decode()
        if form == "date":
            return "2026-03-01"
        if form == "date-time" or "ISO 8601" in schema.get("description", ""):
            return "2026-03-01T10:00:00.000Z"
        if form == "uuid":
            return UUID
        if form == "email":
            return f"x{random.randrange(10**9)}@example.org"
        found = re.fullmatch(r"\^(\w+)\$", schema.get("pattern", ""))
        if found:
            return found.group(1)
        return "x" * max(8, schema.get("minLength", 1))

    def members(self, schema, path=()):
        """All members of an object and of the objects in it: (path, schema)."""
        schema = self.concrete(schema)
        for name, member in schema.get("properties", {}).items():
            member = self.concrete(member)
            yield path + (name,), member
            if self.kind(member) == "object" and len(path) < 3:
                yield from self.members(member, path + (name,))
