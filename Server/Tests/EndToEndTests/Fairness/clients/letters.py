# Attacks on searches and questions with a letter with which very many words begin, and the entries that they need.
import random
from urllib.parse import quote
from bursts import bursts

# The words of a text in Chinese are its pairs of letters. With this letter between all others, half of the pairs begin with it.
HAN, OTHERS = "一", [chr(number) for number in range(0x4E01, 0x9FA0)]
HANGUL, SYLLABLES = "각", [chr(number) for number in range(0xAC02, 0xD7A4)]


def many_words():
    """An entry of 4,095 words that begin with HAN, and a word that questions name beside it."""
    return {"mood": "calm", "note": "xyz" + HAN + HAN.join(random.choices(OTHERS, k=4_095))}


def long_words():
    """An entry of few words, which takes one place of the index."""
    words = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=48)) for _ in range(244)]
    return {"mood": "calm", "note": " ".join(words[:204]), "reason": " ".join(words[204:])}


def short_words():
    """What the entry of long words becomes: one of very many words that begin with HANGUL, but with fewer letters in all."""
    words = [HANGUL + syllable for syllable in random.sample(SYLLABLES, 3_960)]
    return {"note": " ".join(words[:3_300]), "reason": " ".join(words[3_300:])}


def ask(client, person):
    content = {"text": "xyz" + HAN, "kind": "event"}
    return client.json("POST", f"/api/users/user/{person['id']}/ask", person["token"], content)[0]


def search(letter):
    """A search for the letter and a word that is nowhere, so that nothing is found or ranked."""
    path = lambda person: f"/api/users/user/{person['id']}/search?limit=100&q=" + quote("zzqq " + letter)
    return lambda client, person: client.request("GET", path(person), person["token"])[0]


def prefixes(attack):
    bursts(attack, [ask, search(HAN)])


def changes(attack):
    bursts(attack, [search(HANGUL)])
