# Texts that cost much for their length, or may. Each function gets the wanted number of characters and a source of random numbers.
NAMES = ["Anna Smith", "John Miller", "Bob Jones", "Maria", "Peter", "Dr. Lee"]


def repeated(unit):
    return lambda count, random: (unit * (count // len(unit) + 1))[:count]


def consecutive(first, last):
    """Characters of a range, each different from the one before."""

    def text(count, random):
        start, width = random.randrange(last - first), last - first
        return "".join(chr(first + (start + number) % width) for number in range(count))

    return text


def words(letters, length, separator=" "):
    def text(count, random):
        number = count // (length + len(separator)) + 1
        flat = random.choices(letters, k=number * length)
        return separator.join("".join(flat[at : at + length]) for at in range(0, number * length, length))[:count]

    return text


def sentences(make):
    def text(count, random):
        parts, length = [], 0
        while length < count:
            parts.append(make(random))
            length += len(parts[-1])
        return "".join(parts)[:count]

    return text


LATIN = "abcdefghijklmnopqrstuvwxyz"
MARKS = "\u0301\u0323\u0308\u0316\u0302\u0330"


def marked(count, random):
    """Letters with thirty combining marks each, which is the most that the server accepts, in the order that takes longest to sort."""
    return (("e" + (MARKS * 5)) * (count // 31 + 1))[:count]


TEXTS = {
    "short words": words(LATIN, 2),
    "words of three": words(LATIN, 3),
    "one word": repeated("a"),
    "long words": words(LATIN, 60),
    "thirty marks": marked,
    "marks in a row": lambda count, random: "e" + "\u0301" * (count - 1),
    "letters with marks": repeated("e\u0301 o\u0308"),
    "private use": consecutive(0xE000, 0xF8FF),
    "private words": words([chr(number) for number in range(0xE000, 0xF8FF)], 2),
    "private planes": consecutive(0xF0000, 0xFFFFD),
    "Han": consecutive(0x4E00, 0x9FA0),
    "rare Han": consecutive(0x20000, 0x2A6D0),
    "Hangul": consecutive(0xAC00, 0xD7A3),
    "Jamo": repeated("\u1100\u1161\u11a8"),
    "ligatures": repeated("\ufdfa"),
    "ligature words": repeated("\ufdfa \ufb03 "),
    "capitals": words("\u0130\u1e9e\u03a3\u00c4\u0587\u1f88", 3),
    "fullwidth": words([chr(number) for number in range(0xFF21, 0xFF3B)], 3),
    "Katakana": repeated("\uff76\uff9e\uff8a\uff9f"),
    "emoji": repeated("\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"),
    "flags": repeated("\U0001f1e9\U0001f1ea"),
    "zero width": repeated("a\u200b\u200c\u2060"),
    "joiners": repeated("\u200d"),
    "Thai": consecutive(0xE01, 0xE2F),
    "newlines": repeated("\n"),
    "lines": repeated("a\r\n"),
    "spaces": lambda count, random: "a" + " " * (count - 2) + "b" if count > 2 else "ab"[:count],
    "mentions": sentences(lambda random: f"@{random.choice(NAMES).split()[0]}{random.randrange(999)} #t{random.randrange(99999)} "),
    "names": sentences(
        lambda random: "".join(random.choices(LATIN.upper())) + "".join(random.choices(LATIN, k=3))
        + " " + random.choice(NAMES) + random.choice([" and ", ", ", ". "])
    ),
    "capital words": words(LATIN.upper(), 3),
    "met": sentences(lambda random: f"Met with {random.choice(NAMES)} at Lake {random.choice(LATIN).upper()}. "),
    "dates": sentences(
        lambda random: f"On {random.randrange(1, 29)} March {random.randrange(1990, 2030)} at 10:{random.randrange(60):02} "
    ),
    "ISO dates": sentences(lambda random: f"{random.randrange(1990, 2030)}-03-{random.randrange(10, 29)} "),
    "sentences": repeated("I. "),
    "dots": repeated("."),
    "digits": words("0123456789", 3),
    "phones": sentences(lambda random: f"+4915{random.randrange(100000000, 999999999)} "),
    "links": sentences(lambda random: f"https://a{random.randrange(9999)}.de/b "),
    "addresses": sentences(lambda random: f"a{random.randrange(9999)}@b.de,"),
    "tags of HTML": repeated("<b><a href=x>"),
    "brackets": repeated("([{"),
    "markdown": repeated("*_`[a](b)"),
    "quotes": repeated("\"'\u201c\u2019"),
    "commas": repeated("a,"),
    "backslashes": repeated("\\"),
    "percent": repeated("%25"),
}

# The texts of the small form, and of what is filled beyond its limit.
FEW = ["short words", "private words", "thirty marks", "names", "emoji", "ligature words"]


def kinds_for(place, few):
    """The texts for one place of a request: the most telling ones and a quarter of the others, which is another one for each place."""
    if few:
        return FEW
    others = [kind for kind in TEXTS if kind not in FEW]
    return FEW + others[sum(place.encode()) % 4 :: 4]


def text(kind, count, random):
    """At most 200,000 characters are made; a longer text repeats them."""
    part = TEXTS[kind](max(1, min(count, 200_000)), random)
    return (part * (count // len(part) + 1))[:count] if count > len(part) else part
