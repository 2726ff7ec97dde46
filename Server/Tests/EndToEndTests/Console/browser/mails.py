#!/usr/bin/env python3
"""mails.py --data FOLDER: stands in for a mail server. Prints `listening on http://…`, accepts every mail, and writes each one as a file
FOLDER/mails/1.eml, 2.eml, …. Ignores all other options, so that tests can start it as they start the server."""

import argparse
import email
import email.policy
import pathlib
import re
import socketserver
import threading


def texts(folder):
    """The texts of the mails in that folder, in order, each with its recipient."""
    files = sorted((folder / "mails").glob("*.eml"), key=lambda file: int(file.stem))
    mails = [email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files]
    return [(mail["To"], mail.get_content().replace("\r\n", "\n")) for mail in mails]


def codes(folder, recipient):
    """The codes in the mails to that recipient, in order. A code stands on a line of its own."""
    return [code for to, text in texts(folder) if to == recipient for code in re.findall(r"^ {4}([0-9A-Z]{5}(?:-[0-9A-Z]{5}){3})$", text, re.M)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path, required=True)
    folder = parser.parse_known_args()[0].data / "mails"
    folder.mkdir()
    lock = threading.Lock()

    class Session(socketserver.StreamRequestHandler):
        def handle(self):
            self.answer("220 ready")
            while line := self.rfile.readline().decode().strip().upper():
                if line == "DATA":
                    self.answer("354 go on")
                    self.keep()
                self.answer("221 bye" if line == "QUIT" else "250 fine")
                if line == "QUIT":
                    return

        def keep(self):
            body = bytearray()
            while (line := self.rfile.readline()) not in (b".\r\n", b""):
                # RFC 5321 §4.5.2: the sender doubles a period at the beginning of a line.
                body += line.removeprefix(b".") if line.startswith(b"..") else line
            with lock:
                made = folder / "unfinished"
                made.write_bytes(body)
                made.rename(folder / f"{len(list(folder.glob('*.eml'))) + 1}.eml")

        def answer(self, text):
            self.wfile.write(f"{text}\r\n".encode())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
        print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
