# Attacks with captures, and the captures that they need.
from wire import Socket, capture, rare

# JSON needs six bytes for this character, so a message to the socket has room for 43,000 of them.
ESCAPED = "\u0001" * 43_000
# A page of a list may have 2 MB of texts. This many such captures fill it; as JSON, they have 12.4 MB.
COUNT = 49
# The number of accounts that have such captures: two for each of the four networks.
OWNERS = 8


def without_a_pause(attack):
    """Sends captures on four sockets of each account, six on each socket, because the server goes on analysing them after the attack."""
    texts = [rare(60_000) for _ in range(4)]
    left = {}

    def send(client, number):
        person = attack.accounts[number % len(attack.accounts)]
        left.setdefault(number, 6)
        if left[number] == 0:
            return "done"
        socket = Socket(attack.stage, attack.sources[number % len(attack.sources)], f"/ws/ios/{person['id']}", person["token"])
        try:
            while left[number] > 0 and not attack.is_over:
                left[number] -= 1
                socket.send(capture(texts[number % len(texts)]))
                # Other messages, about captures that were processed, may arrive before the answer.
                answer = {"type": "memory_processed"}
                while answer.get("type") == "memory_processed":
                    answer = socket.next()
                attack.count(answer.get("type") or answer.get("error"))
        finally:
            socket.close()
        return "done"

    attack.each(4 * len(attack.accounts), send)


def escaped_page(attack, connection, number):
    """A page of the captures of one of these accounts. Networks have different accounts."""
    return attack.accounts[connection % OWNERS], "/captures?limit=100"
