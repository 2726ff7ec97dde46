#!/usr/bin/env python3
"""run_unit.py [--root FOLDER] [--without LAYER]… UNIT [COMMAND…]: runs the unit's ExecStart, or COMMAND, as systemd would, on a machine on
which systemd does not run. Needs root. With Type=notify it prints "ready" when the program reports READY=1; without COMMAND, SIGTERM to this
script stops the program. Exit code: the program's, or 128 and its signal.

Applied from the unit: user, group, environment, limits, umask, working and state directory, capabilities, no new privileges, the mounts of
ProtectSystem, ProtectHome, ProtectProc, ProtectKernelTunables, PrivateTmp and PrivateDevices, PrivateUsers, and as seccomp filters
SystemCallFilter, RestrictAddressFamilies, RestrictNamespaces and MemoryDenyWriteExecute. --without KEY ignores a key of the unit;
--without CALL takes a system call out of SystemCallFilter, to show that the filter is in force."""

import argparse
import ctypes
import errno
import grp
import os
import pwd
import re
import resource
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)
NEWNS, NEWUSER = 0x20000, 0x10000000
NAMESPACES = {"mnt": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000, "pid": 0x20000000, "net": 0x40000000}
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10}
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 4096, 16384, 1 << 18


def check(result, what):
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def read_unit(path):
    """Key → values of [Service], in order; an empty value empties the list, as in systemd."""
    found, section = {}, ""
    for line in Path(path).read_text().splitlines():
        line = line.strip()
        if match := re.fullmatch(r"\[(\w+)\]", line):
            section = match.group(1)
        elif section == "Service" and line and line[0] not in "#;":
            key, _, value = line.partition("=")
            found[key] = found.get(key, []) + [value] if value else []
    return found


# MARK: - Mounts


def mount(source, target, kind=None, flags=0, data=None):
    text = lambda value: None if value is None else os.fsencode(value)
    check(libc.mount(text(source), text(target), text(kind), ctypes.c_ulong(flags), text(data)), f"mount {target}")


def writable(path, is_writable):
    """Changes a mount and all below it."""
    class Attributes(ctypes.Structure):
        _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]
    change = Attributes(0, 1, 0, 0) if is_writable else Attributes(1, 0, 0, 0)
    mount_setattr, at_fdcwd, at_recursive = 442, -100, 0x8000
    check(libc.syscall(mount_setattr, at_fdcwd, os.fsencode(path), at_recursive, ctypes.byref(change), ctypes.sizeof(change)), f"remount {path}")


def protect_files(unit, root, state, user):
    check(libc.unshare(NEWNS), "unshare")
    mount(None, "/", flags=MS_REC | MS_PRIVATE)
    if root != "/":
        # chroot is not used: the kernel lets no process in a chroot create a user namespace.
        mount(root, root, flags=MS_BIND | MS_REC)
        os.chdir(root)
        check(libc.pivot_root(b".", b"."), "pivot_root")
        check(libc.umount2(b".", 2), "umount")  # the old root, which now lies over the new one
        os.chdir("/")
    if state and not os.path.isdir(state):
        os.mkdir(state)
    if state:
        os.chown(state, user.pw_uid, user.pw_gid)
        os.chmod(state, int(unit.get("StateDirectoryMode", ["0755"])[-1], 8))
        mount(state, state, flags=MS_BIND)
    if unit.get("ProtectSystem") == ["strict"]:
        writable("/", False)
        for path in (state, "/proc", "/dev", "/sys"):
            if path and (path == state or os.path.ismount(path)):
                writable(path, True)
    if unit.get("PrivateDevices") == ["yes"]:
        nodes = [(name, os.stat(f"/dev/{name}").st_rdev) for name in ("null", "zero", "full", "random", "urandom") if os.path.exists(f"/dev/{name}")]
        mount("tmpfs", "/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=755")
        os.umask(0)
        for name, device in nodes:
            os.mknod(f"/dev/{name}", 0o20666, device)
        os.mkdir("/dev/shm", 0o1777)
        os.symlink("/proc/self/fd", "/dev/fd")
        mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
    if unit.get("PrivateTmp") == ["yes"]:
        for path in ("/tmp", "/var/tmp"):
            mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
    if unit.get("ProtectHome") == ["yes"]:
        for path in ("/home", "/root", "/run/user"):
            if os.path.isdir(path):
                mount("tmpfs", path, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV, "mode=000")
    if unit.get("ProtectProc") == ["invisible"]:
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=invisible")
    if unit.get("ProtectKernelTunables") == ["yes"]:
        for path in ("/proc/sys", "/sys"):
            if os.path.isdir(path):
                mount(path, path, flags=MS_BIND | MS_REC)
                writable(path, False)


# MARK: - System calls


class Filter:
    """A seccomp filter, by libseccomp."""
    ALLOW = 0x7FFF0000
    EQUAL, GREATER, MASKED = 4, 6, 7
    lib = ctypes.CDLL("libseccomp.so.2")
    lib.seccomp_init.restype = ctypes.c_void_p

    class Comparison(ctypes.Structure):
        _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]

    @staticmethod
    def refuse(code):
        return 0x50000 | code

    def __init__(self, default):
        self.context = ctypes.c_void_p(self.lib.seccomp_init(ctypes.c_uint32(default)))

    def add(self, action, call, *comparisons):
        number = self.lib.seccomp_syscall_resolve_name(call.encode())
        if number == -1:  # a call of another architecture or of a newer kernel
            return
        terms = (self.Comparison * max(1, len(comparisons)))(*(self.Comparison(*one) for one in comparisons))
        done = self.lib.seccomp_rule_add_array(self.context, ctypes.c_uint32(action), number, len(comparisons), terms)
        if done not in (0, -errno.EEXIST, -errno.EDOM):
            raise OSError(-done, f"seccomp rule for {call}: {os.strerror(-done)}")

    def load(self):
        if (done := self.lib.seccomp_load(self.context)) != 0:
            raise OSError(-done, f"seccomp_load: {os.strerror(-done)}")


def calls_of(word):
    """The calls that a word of SystemCallFilter stands for; systemd knows its sets."""
    if not word.startswith("@"):
        return {word}
    lines = subprocess.run(["systemd-analyze", "syscall-filter", word], check=True, capture_output=True, text=True).stdout.splitlines()
    words = [line.strip() for line in lines if line.startswith(" ") and not line.strip().startswith("#")]
    return set().union(*(calls_of(word) for word in words))


def allowed_calls(values):
    found = set()
    for value in values:
        names = set().union(*(calls_of(word) for word in value.lstrip("~").split()))
        found = found - names if value.startswith("~") else found | names
    return found


def filters(unit, without):
    """In the order in which they must be loaded: the list of all allowed calls is the last."""
    made = []
    if families := unit.get("RestrictAddressFamilies"):
        known = {FAMILIES[name] for name in families[-1].split()}
        one = Filter(Filter.ALLOW)
        for call in ("socket", "socketpair"):
            for family in set(range(max(known))) - known:
                one.add(Filter.refuse(errno.EAFNOSUPPORT), call, (0, Filter.EQUAL, family, 0))
            one.add(Filter.refuse(errno.EAFNOSUPPORT), call, (0, Filter.GREATER, max(known), 0))
        made.append(one)
    if kinds := unit.get("RestrictNamespaces"):
        one = Filter(Filter.ALLOW)
        for name, flag in NAMESPACES.items():
            if name not in kinds[-1].split():
                for call, argument in (("unshare", 0), ("clone", 0), ("setns", 1)):
                    one.add(Filter.refuse(errno.EPERM), call, (argument, Filter.MASKED, flag, flag))
        one.add(Filter.refuse(errno.EPERM), "setns", (1, Filter.EQUAL, 0, 0))
        # The flags of clone3 are in memory, which a filter cannot read.
        one.add(Filter.refuse(errno.ENOSYS), "clone3")
        made.append(one)
    if unit.get("MemoryDenyWriteExecute") == ["yes"]:
        one = Filter(Filter.ALLOW)
        one.add(Filter.refuse(errno.EPERM), "mmap", (2, Filter.MASKED, 6, 6))
        one.add(Filter.refuse(errno.EPERM), "mprotect", (2, Filter.MASKED, 4, 4))
        one.add(Filter.refuse(errno.EPERM), "pkey_mprotect", (2, Filter.MASKED, 4, 4))
        one.add(Filter.refuse(errno.EPERM), "shmat", (2, Filter.MASKED, 0o100000, 0o100000))
        made.append(one)
    if lists := unit.get("SystemCallFilter"):
        one = Filter(Filter.refuse(getattr(errno, unit.get("SystemCallErrorNumber", ["EPERM"])[-1])))
        for call in sorted(allowed_calls(lists) - without):
            one.add(Filter.ALLOW, call)
        made.append(one)
    return made


# MARK: - The program


def environment(unit, root, user, notify):
    found = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "USER": user.pw_name,
             "LOGNAME": user.pw_name, "HOME": user.pw_dir, "SHELL": user.pw_shell}
    for value in unit.get("Environment", []):
        found.update(word.partition("=")[::2] for word in shlex.split(value))
    for value in unit.get("EnvironmentFile", []):
        file = Path(root + value.lstrip("-"))
        if file.exists() or not value.startswith("-"):
            found.update(line.partition("=")[::2] for line in file.read_text().splitlines() if "=" in line and not line.startswith("#"))
    if notify:
        found["NOTIFY_SOCKET"] = notify
    return found


def limit(name, value):
    hard = resource.getrlimit(name)[1]
    try:
        resource.setrlimit(name, (value, value))
    except ValueError:  # a container without CAP_SYS_RESOURCE
        resource.setrlimit(name, (min(value, hard), hard))


def become(unit, chosen, user, group, variables, filters, mapped, command):
    """Runs in the child, and does not return."""
    state = "/var/lib/" + unit["StateDirectory"][-1] if unit.get("StateDirectory") else None
    protect_files(unit, chosen.root, state, user)
    if unit.get("LimitNOFILE"):
        limit(resource.RLIMIT_NOFILE, int(unit["LimitNOFILE"][-1]))
    if unit.get("LimitCORE"):
        limit(resource.RLIMIT_CORE, int(unit["LimitCORE"][-1]))
    if unit.get("PrivateUsers") == ["yes"]:
        check(libc.unshare(NEWUSER), "unshare")
        os.write(mapped[1], b"\n")
        os.read(mapped[0], 1)
    os.umask(int(unit.get("UMask", ["0022"])[-1], 8))
    os.chdir(unit.get("WorkingDirectory", ["/"])[-1])
    if "CapabilityBoundingSet" in unit and not unit["CapabilityBoundingSet"]:
        for capability in range(64):
            libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP; fails for numbers that the kernel does not know
    os.setgroups([group.gr_gid])
    os.setresgid(*[group.gr_gid] * 3)
    os.setresuid(*[user.pw_uid] * 3)
    if unit.get("NoNewPrivileges") == ["yes"]:
        check(libc.prctl(38, 1, 0, 0, 0), "no_new_privs")
    libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    for one in filters:
        one.load()
    os.execve(command[0], command, variables)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--root", default="/")
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("unit")
    parser.add_argument("command", nargs="*")
    chosen = parser.parse_args()
    unit = read_unit(chosen.unit)
    for key in chosen.without:
        unit.pop(key, None)

    accounts = Path(chosen.root) / "etc"
    def account(file, name, make):
        line = next(line for line in (accounts / file).read_text().splitlines() if line.startswith(name + ":"))
        return make(line.split(":"))
    name = unit["User"][-1]
    user = account("passwd", name, lambda f: pwd.struct_passwd((f[0], f[1], int(f[2]), int(f[3]), f[4], f[5], f[6])))
    group = account("group", unit.get("Group", [name])[-1], lambda f: grp.struct_group((f[0], f[1], int(f[2]), f[3].split(","))))

    reports = None
    if unit.get("Type") == ["notify"] and not chosen.command:
        reports = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        reports.bind(f"\0run-unit-{os.getpid()}")
    variables = environment(unit, chosen.root, user, f"@run-unit-{os.getpid()}" if reports else None)
    made = filters(unit, set(chosen.without))
    command = chosen.command or shlex.split(unit["ExecStart"][-1])

    ours, theirs = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            become(unit, chosen, user, group, variables, made, (theirs[0], ours[1]), command)
        except BaseException as error:
            print(f"run_unit: {error}", file=sys.stderr, flush=True)
            os._exit(203)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    os.close(ours[1])
    if os.read(ours[0], 1):
        # systemd maps root and the service's user.
        for kind, number in (("uid", user.pw_uid), ("gid", group.gr_gid)):
            Path(f"/proc/{child}/{kind}_map").write_text(f"0 0 1\n{number} {number} 1\n")
        os.write(theirs[1], b"\n")
    if reports:
        reports.settimeout(0.2)
        while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            try:
                if b"READY=1" in reports.recv(4096).split(b"\n"):
                    print("ready", flush=True)
                    break
            except TimeoutError:
                pass
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
