# inputs.py: sends requests of extreme shapes to every operation that the server describes, and measures what each costs the server.
# The exit code is 1 when one costs more than it may. `--help` lists the options; without --port it starts a server itself.
import argparse, base64, json, os, random, re, subprocess, sys, tempfile, time
import files, report
from description import Description, png
from judge import Judge, Limits, nothing
from measure import Watch
from plan import Plan, order
from wire import Client, Request
from world import World


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, help="the program keepsake")
    parser.add_argument("--port", type=int)
    parser.add_argument("--pid", type=int)
    parser.add_argument("--data")
    parser.add_argument("--out", default="inputs-failures", help="a folder for the requests that failed")
    parser.add_argument("--results", help="a file for the costs, as lines of JSON; a run continues where its file ends")
    parser.add_argument("--only", default="", help="a regular expression for operation ids")
    parser.add_argument("--shapes", default="", help="a regular expression for names of shapes")
    parser.add_argument("--sample", type=int, default=1, help="takes one of so many shapes")
    parser.add_argument("--few", action="store_true", help="takes the most telling shapes only")
    parser.add_argument("--every", type=int, default=1, help="takes one of so many operations")
    parser.add_argument("--seconds", type=float, default=1e9, help="stops after so many seconds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processor-limit", type=float, help="seconds of processor time that a request may take")
    return parser.parse_args()


class OwnServer:
    """A server that the driver starts, for runs by hand."""

    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory(prefix="keepsake-inputs-")
        command = [binary, "serve", "--data", self.folder.name, "--port", "0", "--log", "error"]
        environment = {**os.environ, "KEEPSAKE_RATE_LIMITS": "off"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=sys.stderr, text=True, env=environment)
        self.port = int(re.search(r":(\d+)\s*$", self.process.stdout.readline()).group(1))

    def end(self):
        self.process.terminate()
        self.process.wait(30)
        self.folder.cleanup()


class Campaign:
    def __init__(self, chosen, port, process_id, data):
        self.chosen, self.random = chosen, random.Random(chosen.seed)
        samples = {"wav": files.fixture("plain.wav"), "base64": base64.b64encode(png(16, self.random)).decode()}
        self.world = World(port, chosen.binary, data, self.random, samples)
        self.world.make()
        self.watch = Watch(process_id)
        self.watch.wait_until_quiet(1 if chosen.few else 5)
        self.judge = Judge(self.watch, self.world, None)
        document = json.loads(self.read_description(port))
        found = [one for one in Description(document).operations() if re.search(chosen.only, one.id)]
        self.operations = sorted(found, key=order)[:: chosen.every]
        if chosen.every > 1:
            # A run of some seconds does not reach all of them, and would never reach those that write. To make new accounts takes long.
            self.operations = [one for one in self.operations if order(one) < 4]
            random.Random(chosen.seed).shuffle(self.operations)
        self.costs, self.failures, self.began = [], [], time.monotonic()
        self.done = set()
        if chosen.results and os.path.exists(chosen.results):
            with open(chosen.results) as file:
                self.costs = [json.loads(one) for one in file]
            self.done = {(one["operation"], one["shape"]) for one in self.costs}
            self.costs = [one for one in self.costs if one["shape"] != "end"]

    @staticmethod
    def read_description(port):
        client = Client(port)
        client.deadline = time.monotonic() + 10
        import wire
        wire.KEPT = 20_000_000
        body = client.send(Request("GET", "/openapi.json")).body
        wire.KEPT = 1_000_000
        return body

    def keep(self, cost):
        self.costs.append(cost.row())
        if self.chosen.results:
            with open(self.chosen.results, "a") as file:
                file.write(json.dumps(cost.row()) + "\n")

    def fail(self, operation, shape, request, faults):
        place = report.save(self.chosen.out, len(self.failures) + 1, operation, shape, request, faults)
        self.failures.append(f"{operation.title()}, {shape}: {'; '.join(faults)} ({place})")
        print("\nFAILED " + self.failures[-1], file=sys.stderr, flush=True)

    def run(self):
        for number, operation in enumerate(self.operations):
            if (operation.title(), "end") in self.done:
                continue
            print(f"operation {number + 1} of {len(self.operations)}: {operation.title()}", end="", file=sys.stderr, flush=True)
            began, count = time.monotonic(), len(self.costs)
            if not self.one(operation):
                print(f"\nstopped after {number} of {len(self.operations)} operations", file=sys.stderr)
                return False
            print(f", {len(self.costs) - count} shapes in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        return True

    def one(self, operation):
        """Measures all shapes of an operation. False when the server died or the time is over."""
        plan = Plan(operation, self.world, self.chosen.few)
        allowed = nothing()
        self.judge.settle()
        if not operation.is_socket:
            for _ in range(2):
                usual, answer = self.judge.measure(operation, "plain", plan.plain(self.random))
            usual.memory = 0 if usual.memory < 4 else usual.memory
            self.keep(usual)
            print(f" ({usual.status})", end="", file=sys.stderr, flush=True)
            # To hash a password is costly by design.
            if operation.path.startswith(("/auth/password", "/auth/email")):
                allowed.processor, allowed.memory = max(0.3, usual.processor), max(70, usual.memory)
            elif faults := usual.faults(allowed):
                self.fail(operation, "plain", plan.plain(self.random), faults)
        shapes = plan.shapes(lambda request: self.judge.send(operation, request))
        for number, shape in enumerate(shapes):
            is_chosen = (number + self.chosen.seed) % self.chosen.sample == 0 and re.search(self.chosen.shapes, shape.name)
            if not is_chosen or (operation.title(), shape.name) in self.done:
                continue
            if time.monotonic() - self.began > self.chosen.seconds:
                return False
            # A document's text is read by another program, with low priority, for at most five seconds, and once more by a job.
            is_document = "PDF, a stream" in shape.name
            allowed.processor += 5.5 if is_document else 0
            allowed.seconds, allowed.later = (4, 5) if is_document else (0, 0)
            cost, request = self.judge.judge(operation, shape, allowed)
            self.keep(cost)
            faults = cost.faults(allowed)
            allowed.processor -= 5.5 if is_document else 0
            if faults:
                self.fail(operation, shape.name, request, faults)
            if cost.is_dead:
                return False
        end = nothing()
        end.operation, end.shape = operation.title(), "end"
        end.later = 0 if self.chosen.few or operation.method == "GET" else self.watch.wait_until_quiet(20)
        if self.chosen.results:
            with open(self.chosen.results, "a") as file:
                file.write(json.dumps(end.row()) + "\n")
        if end.later > 1:
            print(f" (afterwards {end.later:.1f} s of processor time)", end="", file=sys.stderr)
        return True

    def lists(self):
        """After all shapes: the lists of the account, which now contain extreme things."""
        for operation in self.operations:
            names = {one["name"]: one for one in operation.named("query")}
            if operation.method != "GET" or operation.is_socket or "limit" not in names and "{" in operation.path:
                continue
            plan = Plan(operation, self.world, True)
            limit = names.get("limit", {}).get("schema", {}).get("maximum", 50)
            query = [("limit", limit)] if "limit" in names else []
            from bodies import Shape
            shape = Shape("the list afterwards", lambda random: plan.plain(random, query=query))
            cost, request = self.judge.judge(operation, shape, nothing())
            self.keep(cost)
            if faults := cost.faults(nothing()):
                self.fail(operation, shape.name, request, faults)


def main():
    chosen = options()
    if chosen.processor_limit is not None:
        Limits.processor = chosen.processor_limit
    own = None if chosen.port else OwnServer(chosen.binary)
    try:
        port, process_id = (own.port, own.process.pid) if own else (chosen.port, chosen.pid)
        campaign = Campaign(chosen, port, process_id, own.folder.name if own else chosen.data)
        if campaign.run():
            campaign.lists()
        report.tables(campaign.costs)
        print("\n" + "\n".join(campaign.failures) if campaign.failures else "\nno failures")
    finally:
        if own:
            own.end()
    sys.exit(1 if campaign.failures else 0)


main()
