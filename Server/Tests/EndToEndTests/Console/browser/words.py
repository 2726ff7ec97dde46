#!/usr/bin/env python3
"""words.py: stands in for an OpenAI-compatible model that writes slowly. Prints `listening on http://…` and answers
`POST /v1/chat/completions` with a stream of `count` words, one in each tenth of a second. A message with "fail" is refused with 400. The
first answer to a message with "short" ends after five words, as if it had reached its longest length. The answer to a message with "pause"
pauses for ten seconds after ten words. Ignores all options, so that tests
can start it as they start the server. The word at each place is different, so that tests find gaps and repeats."""

import json
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

model = "slow-words"
count = 40
# Separate words, since Markdown gives some letters a meaning.
said = " ".join(f"word{at}" for at in range(count))
# Messages whose first answer was short.
shortened = set()


def asked(body):
    """The text of the last message."""
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = asked(body)
        is_short = bool(re.search(r"\bshort\b", text)) and text not in shortened
        if is_short:
            shortened.add(text)
        if re.search(r"\bfail\b", text):
            return self.whole(400, {"error": {"message": "This is refused.", "type": "invalid_request_error"}})
        if not body.get("stream"):
            return self.whole(200, {
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model, "usage": self.usage(),
                "choices": [{"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}]})
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for at, word in enumerate(said.split(" ")[: 5 if is_short else count]):
                self.chunk({"role": "assistant", "content": word if at == 0 else f" {word}"}, None)
                time.sleep(10 if at == 9 and re.search(r"\bpause\b", text) else 0.1)
            self.chunk({}, "length" if is_short else "stop")
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            pass  # The server has stopped the answer.
        self.close_connection = True

    def chunk(self, delta, reason):
        chunk = {
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **({"usage": self.usage()} if reason else {})}
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.flush()

    @staticmethod
    def usage():
        return {"prompt_tokens": 10, "completion_tokens": count, "total_tokens": 10 + count}

    def whole(self, status, answer):
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
