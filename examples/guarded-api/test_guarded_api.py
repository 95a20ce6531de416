from concurrent.futures import ThreadPoolExecutor
from unittest import TestCase, main

from guarded_api import GuardedApi
from latchkey import Latchkey


class GuardedApiTest(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.emulator = Latchkey("--fixture", "weather.yaml", "--now", "2026-03-01")
        cls.addClassCleanup(cls.emulator.stop)
        cls.api = GuardedApi(cls.emulator.url, "backend")

    def setUp(self):
        self.emulator.reset()

    def test_a_key_that_has_expired_is_refused(self):
        answer = self.api.forecast("weather_trial_4Kd9sQ")
        self.assertEqual(answer, {"status": 200, "text": "Sunny"})

        self.emulator.advance("31d")

        answer = self.api.forecast("weather_trial_4Kd9sQ")
        self.assertEqual(answer, {"status": 401, "reason": "EXPIRED"})

    def test_a_key_that_is_used_up_is_let_in_again_the_next_day(self):
        def statuses():
            return [self.api.forecast("weather_two_7Hc2xM")["status"] for _ in range(3)]

        self.assertEqual(statuses(), [200, 200, 401])

        self.emulator.advance("1d")

        self.assertEqual(statuses(), [200, 200, 401])

    def test_while_the_service_refuses_callers_hear_when_to_try_again(self):
        self.emulator.add_fault(
            "keys.verifyKey", status=429, headers={"Retry-After": "30"}, times=1
        )

        answer = self.api.forecast("weather_trial_4Kd9sQ")
        self.assertEqual(answer, {"status": 503, "retryAfter": "30"})
        self.assertEqual(self.api.forecast("weather_trial_4Kd9sQ")["status"], 200)

    def test_a_customer_who_signs_up_gets_a_key(self):
        with ThreadPoolExecutor() as pool:
            signed_up = pool.submit(self.api.sign_up, "customer_2")

            match = {"externalId": "customer_2"}
            [call] = self.emulator.wait_for("keys.createKey", match)
            self.assertEqual(call["status"], 200)
            self.assertEqual(self.api.forecast(signed_up.result())["status"], 200)
        names = sorted(key["name"] for key in self.emulator.keys())
        self.assertEqual(names, ["Signed up", "Trial", "Two a day"])

    def test_no_test_sees_what_another_one_has_done(self):
        self.assertEqual(len(self.emulator.keys()), 2)
        self.assertEqual(self.emulator.requests(), [])


if __name__ == "__main__":
    main()
