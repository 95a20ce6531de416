"""Makes a key, lists it, verifies it, and calls what latchkey does not serve."""

import json
import sys

BASE = "https://api.unkey.com/v2/"
HEADERS = {"Authorization": "Bearer any", "Content-Type": "application/json"}


def with_urllib(url, body):
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    try:
        with urlopen(Request(url, body, HEADERS)) as reply:
            return reply.status, reply.read()
    except HTTPError as error:
        return error.code, error.read()


def with_requests(url, body):
    import requests

    reply = requests.post(url, body, headers=HEADERS)
    return reply.status_code, reply.content


def with_httpx(url, body):
    import httpx

    reply = httpx.post(url, content=body, headers=HEADERS)
    return reply.status_code, reply.content


def post(name, value):
    send = globals()["with_" + sys.argv[1]]
    status, text = send(BASE + name, json.dumps(value).encode())
    return status, json.loads(text)


made = post("keys.createKey", {"apiId": "api_local"})[1]["data"]
listed = post("apis.listKeys", {"apiId": "api_local"})[1]["data"]
if made["keyId"] in [key["keyId"] for key in listed]:
    print("listed")
if post("keys.verifyKey", {"key": made["key"]})[1]["data"]["valid"]:
    print("valid")
print(post("projects.getProject", {"project": "shop"})[0])
