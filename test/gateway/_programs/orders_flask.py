# A program with Flask that reads the principal.
import json

from flask import Flask, request
from werkzeug.serving import make_server

app = Flask(__name__)


@app.get("/orders")
def orders():
    header = request.headers.get("X-Unkey-Principal")
    if header is None:
        return {"error": "who are you?"}, 401
    principal = json.loads(header.encode("latin-1").decode())
    plan = principal.get("identity", {}).get("meta", {}).get("plan", "free")
    return {"customer": principal["subject"], "plan": plan}


server = make_server("127.0.0.1", 0, app)
print(server.server_port, flush=True)
server.serve_forever()
