# Sends a request, measures what it costs the server, and judges the costs.
import json, time
from wire import Client, Request, Socket


class Limits:
    """What a request may cost. The campaign's control sets them lower."""

    processor = 0.25  # seconds, for a body of up to 1 MiB
    processor_each = 0.05  # seconds for each MiB above, and for each of the response
    memory = 8.0  # MB, and three times the body
    seconds = 3.0
    later = 1.0  # seconds of processor time after the response
    wait = 0.3  # seconds that a small request waits longer than usual


class Cost:
    def __init__(self, operation, shape):
        self.operation, self.shape = operation, shape
        self.processor = self.later = self.memory = self.seconds = self.wait = 0.0
        self.status = self.size = self.answer = 0
        self.is_dead = False
        self.usual = 0.0  # seconds of processor time of an operation that is costly by design

    def faults(self, allowed):
        """What is wrong, in plain words. `allowed` is what the operation's plain request costs, if it is costly by design."""
        self.usual = allowed.processor
        size = self.size / 1_048_576
        most = Limits.processor + Limits.processor_each * (max(0, size - 1) + self.answer / 1_048_576) + allowed.processor
        room = Limits.memory + 3 * size + allowed.memory
        found = []
        if self.is_dead:
            found.append("the server died")
        if self.processor > most:
            found.append(f"{self.processor:.2f} s of processor time, more than {most:.2f} s")
        if self.memory > room:
            found.append(f"{self.memory:.0f} MB of memory, more than {room:.0f} MB")
        if self.seconds > Limits.seconds + allowed.seconds:
            found.append(f"took {self.seconds:.1f} s")
        if self.later > Limits.later + allowed.later:
            found.append(f"{self.later:.2f} s of processor time after the response")
        if self.wait > Limits.wait:
            found.append(f"a small request waited {self.wait:.2f} s longer")
        if self.status >= 500 and self.status != 503 or self.status == 503 and not self.has_retry:
            found.append(f"status {self.status}")
        return found

    def row(self):
        return {name: value for name, value in vars(self).items()}


class Judge:
    def __init__(self, watch, world, progress):
        self.watch, self.world, self.progress = watch, world, progress
        self.client, self.small = Client(world.port, 30), Client(world.port, 30)
        self.sockets = {}
        waits = sorted(world.usual_wait(self.small) for _ in range(20))
        self.usual = waits[10]
        self.memory = watch.resident()

    def send(self, operation, request):
        if not operation.is_socket:
            return self.client.send(request, self.world.token(operation))
        socket = self.sockets.get(operation.id)
        if not socket:
            socket = self.sockets[operation.id] = Socket(self.world.port, request.path, self.world.main["token"])
            if socket.status != 101:
                self.sockets.pop(operation.id)
                return self.client.send(Request("GET", request.path), self.world.main["token"])
        answer = socket.send(request.body)
        content = answer.json() if answer.status == 200 else None
        if isinstance(content, dict) and (content.get("ok") is False or "error" in content):
            answer.status = 400
        if answer.status not in (200, 400):
            socket.close()
            self.sockets.pop(operation.id)
            answer.status = 400 if answer.status >= 1000 else answer.status
        return answer

    def measure(self, operation, shape, request):
        watch, cost = self.watch, Cost(operation.title(), shape)
        before = watch.processor()
        memory = min(self.memory, watch.resident())
        watch.reset_peak()
        answer = self.send(operation, request)
        cost.processor = watch.processor() - before
        cost.wait = max(0, self.world.usual_wait(self.small) - self.usual)
        is_write = operation.method != "GET" and 200 <= answer.status < 300 or operation.is_socket
        cost.later = watch.wait_until_still(0.12 if is_write else 0.03, 20)
        if not is_write or cost.later <= 0.05:
            cost.processor, cost.later = cost.processor + cost.later, 0.0
        cost.memory = max(0, watch.peak() - memory)
        cost.seconds, cost.status, cost.size, cost.answer = answer.seconds, answer.status, request.size(), answer.size
        cost.has_retry = "retry-after" in answer.fields
        cost.is_dead = not watch.is_alive()
        if answer.status == 401 and not cost.is_dead:
            self.renew(operation)
        return cost, answer

    def renew(self, operation):
        """Makes another credential if the last one has ended."""
        if self.client.send(Request("GET", "/user/me"), self.world.token(operation)).status in (401, 403):
            self.world.renew(operation)

    def judge(self, operation, shape, allowed, attempts=3):
        """Measures a shape. A cost above the limit counts only when each attempt exceeds it, because other work disturbs."""
        least = None
        for attempt in range(attempts):
            request = shape.make(self.world.random)
            cost, _ = self.measure(operation, shape.name, request)
            if least is None:
                least, first = cost, request
            elif cost.status == least.status or cost.status >= 500:
                for name in ("processor", "later", "memory", "seconds", "wait"):
                    setattr(least, name, min(getattr(least, name), getattr(cost, name)))
            if cost.is_dead:
                least.is_dead = True
                break
            faults = least.faults(allowed)
            if not faults or attempt == 1 and least.processor > 4 * Limits.processor:
                break
            self.watch.wait_until_quiet(20)
            if any("memory" in fault for fault in faults):
                # What the last request left behind must not count for the next.
                self.watch.wait_until_small()
                self.memory = self.watch.resident()
        return least, first

    def settle(self):
        self.memory = self.watch.resident()


def nothing():
    return Cost("", "")
