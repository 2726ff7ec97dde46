# Exports whose pieces take long, and the entries that they need.
INTERESTS = [f"{number:02d}" for number in range(50)]


def entry():
    """A mood with as many interests as it may have. The export decodes each of them."""
    return {"mood": "calm", "note": "by the lake", "moodIntensity": 5, "tags": ["a"], "interests": INTERESTS}


def exports(attack):
    """Each account exports its data again and again, eight in each of four networks. An account has five exports, and then one a minute."""

    def export(client, number):
        return client.request("GET", "/auth/export", attack.accounts[number]["token"])[0]

    attack.each(len(attack.accounts), export)
