import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

BASE = {"id": "c-1", "created": 1, "model": "gpt-5-mini-2025-08-07"}
USAGE = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}


class Provider(BaseHTTPRequestHandler):
    """Chat completions, whole and streamed."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        if body.get("stream"):
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for text in ("hello ", "there"):
                delta = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
                chunk = {**BASE, "object": "chat.completion.chunk", "choices": [delta]}
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")
        else:
            message = {"role": "assistant", "content": "hello there"}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            answer = {**BASE, "object": "chat.completion", "choices": [choice], "usage": USAGE}
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_args):
        pass


@contextmanager
def fake_provider():
    """The address of a model provider that says the same to everyone."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
