"""An API that lets in only callers with a key, which the service verifies."""

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen


class GuardedApi:
    def __init__(self, service_url, root_key):
        self.service_url = service_url
        self.root_key = root_key

    def forecast(self, key):
        """The answer to one request for the forecast."""
        try:
            data = self._call("keys.verifyKey", {"key": key})
        except HTTPError as error:
            with error:
                return {"status": 503, "retryAfter": error.headers["Retry-After"]}
        if data["valid"]:
            return {"status": 200, "text": "Sunny"}
        return {"status": 401, "reason": data["code"]}

    def sign_up(self, customer_id):
        """Makes a key for a customer, and returns its value."""
        key = {"apiId": "api_weather", "name": "Signed up", "externalId": customer_id}
        return self._call("keys.createKey", key)["key"]

    def _call(self, operation, data):
        headers = {"Authorization": f"Bearer {self.root_key}", "Content-Type": "application/json"}
        url = f"{self.service_url}/v2/{operation}"
        with urlopen(Request(url, json.dumps(data).encode(), headers)) as response:
            return json.load(response)["data"]
