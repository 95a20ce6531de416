"""An API that lets in only callers with a key, which the service verifies."""

import json
from http.client import HTTPException
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
        """Makes the key of a customer, and returns its value."""
        try:
            return self._ensure_key(customer_id)
        except (OSError, HTTPException):
            # The reply may have been lost after the key was made. Then it is found now.
            return self._ensure_key(customer_id)

    def _ensure_key(self, customer_id):
        customer = {"apiId": "api_weather", "externalId": customer_id}
        known = self._call("apis.listKeys", customer)
        if known:
            reroll = {"keyId": known[0]["keyId"], "expiration": 0}
            return self._call("keys.rerollKey", reroll)["key"]
        return self._call("keys.createKey", {"name": "Signed up", **customer})["key"]

    def _call(self, operation, data):
        headers = {"Authorization": f"Bearer {self.root_key}", "Content-Type": "application/json"}
        request = Request(f"{self.service_url}/v2/{operation}", json.dumps(data).encode(), headers)
        with urlopen(request, timeout=2) as response:
            return json.load(response)["data"]
