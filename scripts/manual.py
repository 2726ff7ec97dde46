#!/usr/bin/env python3
"""manual.py VERSION SECONDS: prints keepsake(1). Standard input is the output of `keepsake --experimental-dump-help`, the program's own table of
commands and options. SECONDS since 1970 is the page's date."""

import datetime
import json
import sys

FOOT = r"""
.SH SETTINGS FILE AND ENVIRONMENT
A flag overrides its environment variable, which stands in parentheses after the flag. The variable overrides the key in the settings file.
The key is the flag in lower case with underscores:
.B \-\-quota\-mb
is
.BR quota_mb .
An invalid value stops the program with one line that names the setting.
.SH FILES
.TP
.I /etc/keepsake/keepsake.yaml
the package's settings file. A program that was not installed as a package reads
.I keepsake.yaml
in the current folder.
.TP
.I /etc/keepsake/environment
lines NAME=VALUE that systemd adds to the service's environment, for secrets.
.TP
.I /var/lib/keepsake
what the package's server stores.
.TP
.I ~/.config/keepsake
the server and the tokens of client commands; with
.B XDG_CONFIG_HOME
the folder keepsake in that folder.
.TP
.I ~/.local/share/keepsake/queue
entries that client commands have not sent yet; with
.B XDG_DATA_HOME
the folder keepsake/queue in that folder.
.SH EXIT STATUS
.TP
.B 0
success
.TP
.B 64
wrong usage or setting
.TP
.B 65
the server refuses what a client command sent
.TP
.B 69
something needed is unavailable
.TP
.B 70
internal error
.TP
.B 77
a client command is not signed in
.SH SIGNALS
.TP
.B SIGTERM
The server finishes running requests for at most ten seconds and exits.
.TP
.B SIGHUP
With TLS, the server reads its certificate and key again. Without TLS, it ends.
.SH EXAMPLES
.TP
Print an invitation for one new account:
.B sudo \-u keepsake keepsake invite
.TP
Check everything that the server needs:
.B sudo \-u keepsake keepsake doctor
.TP
Upload a photo to a server:
.B keepsake login https://keepsake.example.org && keepsake upload photo.jpg
"""


def text(value):
    """Returns any text as troff input."""
    value = value.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + value if value[:1] in (".", "'") else value


def flag(argument):
    names = ", ".join(f"\\fB{text(('-' if name['kind'] == 'short' else '--') + name['name'])}\\fR" for name in argument["names"])
    return names + (f" \\fI{text(argument['valueName'])}\\fR" if argument["kind"] == "option" else "")


def shown(arguments):
    return [argument for argument in arguments if argument["shouldDisplay"]]


def described(argument):
    head = f"\\fI{text(argument['valueName'])}\\fR" if argument["kind"] == "positional" else flag(argument)
    return [".TP", head, text(argument.get("abstract") or "")]


def synopsis(path, arguments):
    """Returns the command's own part of the page: what other commands do not share."""
    words = [f"\\fB{text(' '.join(path))}\\fR"]
    for argument in arguments:
        word = f"\\fI{text(argument['valueName'])}\\fR" if argument["kind"] == "positional" else flag(argument)
        words.append(f"[{word}]" if argument["isOptional"] else word)
    return " ".join(words)


def leaves(command, path=()):
    path = (*path, command["commandName"])
    below = [one for one in command.get("subcommands", []) if one["shouldDisplay"] and one["commandName"] != "help"]
    return [leaf for one in below for leaf in leaves(one, path)] or [(path, command)]


def main():
    version, seconds = sys.argv[1], int(sys.argv[2])
    root = json.load(sys.stdin)["command"]
    commands = leaves(root)
    names = lambda argument: tuple(name["name"] for name in argument.get("names", [])) or (argument["valueName"],)
    # These are the options of every command that opens the installation. They are the options of `doctor`, which has no others.
    common = {names(one): one for path, command in commands if path[1:] == ("doctor",) for one in shown(command["arguments"])}
    settings = [one for one in common.values() if "KEEPSAKE_" in (one.get("abstract") or "")]
    general = [one for one in common.values() if one not in settings]
    date = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%d")
    page = [f'.TH KEEPSAKE 1 "{date}" "keepsake {version}" "User Commands"', ".SH NAME", "keepsake \\- " + text(root["abstract"].rstrip(".")),
            ".SH SYNOPSIS", "\\fBkeepsake\\fR \\fIcommand\\fR [\\fIoptions\\fR] [\\fIsettings\\fR]", ".SH COMMANDS"]
    # The commands that do not open the installation are the client's, and `version`.
    is_client = lambda path, command: path[1:] != ("version",) and not any(names(one) == ("data",) for one in command["arguments"])
    commands.sort(key=lambda leaf: is_client(*leaf))
    has_heading = False
    for path, command in commands:
        if is_client(path, command) and not has_heading:
            has_heading = True
            page += [".SH CLIENT COMMANDS", "They use a server, here or on another computer, as one of its accounts. They take none of the settings."]
        own = [one for one in shown(command["arguments"]) if names(one) not in common]
        page += [f".SS {synopsis(path, own)}", text(command.get("abstract") or "")]
        for argument in own:
            page += described(argument)
    page += [".SH OPTIONS", "Every command takes these:"]
    for argument in general:
        page += described(argument)
    page += [".SH SETTINGS", "Every command that opens the installation takes these; the help of most shows only the common ones:"]
    # The commands are in the order of the program's help, which begins with the common ones.
    for title in dict.fromkeys(one.get("sectionTitle") for one in settings):
        page.append(f".SS {text(title)}")
        for argument in settings:
            if argument.get("sectionTitle") == title:
                page += described(argument)
    sys.stdout.write("\n".join(page) + FOOT)


if __name__ == "__main__":
    main()
