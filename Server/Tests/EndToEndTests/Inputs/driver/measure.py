# What the server's process and its workers use, from /proc.
import os, time

TICK = 1 / os.sysconf("SC_CLK_TCK")


def clock_of(process_id):
    """The number of the clock that counts the processor time of a process, as clock_getcpuclockid(3) makes it."""
    return (~process_id << 3) | 2


class Watch:
    def __init__(self, process_id):
        self.process_id = process_id

    def children(self):
        found, waiting = [], [self.process_id]
        while waiting:
            one = waiting.pop()
            try:
                for thread in os.listdir(f"/proc/{one}/task"):
                    with open(f"/proc/{one}/task/{thread}/children") as file:
                        waiting += [int(word) for word in file.read().split()]
            except OSError:
                continue
            found.append(one)
        return found[1:]

    def is_alive(self):
        try:
            with open(f"/proc/{self.process_id}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
        except OSError:
            return False

    def processor(self):
        """Seconds of processor time that the process, its living and its ended children have used."""
        seconds = 0.0
        for one in [self.process_id] + self.children():
            try:
                with open(f"/proc/{one}/stat") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
                # /proc counts in ticks of 10 ms; the clock of the process is exact, but leaves out its ended children.
                seconds += time.clock_gettime(clock_of(one)) + sum(int(field) for field in fields[13:15]) * TICK
            except OSError:
                # A child may have ended meanwhile.
                if one == self.process_id and self.is_alive():
                    raise
        return seconds

    def status(self, name):
        """A value of /proc/…/status in megabytes."""
        try:
            with open(f"/proc/{self.process_id}/status") as file:
                for line in file:
                    if line.startswith(name + ":"):
                        return int(line.split()[1]) / 1024
        except OSError:
            pass
        return 0.0

    def resident(self):
        return self.status("VmRSS")

    def peak(self):
        return self.status("VmHWM")

    def reset_peak(self):
        with open(f"/proc/{self.process_id}/clear_refs", "w") as file:
            file.write("5")

    def wait_until_still(self, still=0.05, longest=3.0):
        """Waits until less than 10 ms of processor time was used for `still` seconds. Returns what was used meanwhile."""
        first = last = now = self.processor()
        began = since = time.monotonic()
        while time.monotonic() - began < longest:
            time.sleep(0.01)
            now = self.processor()
            if now - last >= TICK:
                last, since = now, time.monotonic()
            elif time.monotonic() - since >= still:
                break
        return now - first

    def wait_until_quiet(self, longest=20.0, share=0.02):
        """Waits until the process has used less than `share` of a processor for a second. Returns what was used meanwhile."""
        first = self.processor()
        began = time.monotonic()
        while time.monotonic() - began < longest:
            before = self.processor()
            for _ in range(10):
                time.sleep(0.1)
                if self.processor() - before > share:
                    break
            else:
                break
        return self.processor() - first

    def wait_until_small(self, longest=4.0):
        """Waits until the process returns no more memory to the system."""
        last, since, began = self.resident(), time.monotonic(), time.monotonic()
        while time.monotonic() - began < longest and time.monotonic() - since < 2.3:
            time.sleep(0.1)
            now = self.resident()
            if now < last - 0.2:
                last, since = now, time.monotonic()
