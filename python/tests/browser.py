"""A headless Chromium, driven by the WebDriver protocol through chromedriver on the loopback interface.

The package selenium would do the same, but brings 40 MB, programs for three systems and further packages; of the
protocol these tests need only what is below.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

TAB = "\ue004"
ENTER = "\ue007"
SPACE = "\ue00d"
HOME = "\ue011"
DOWN = "\ue015"
# The key of the protocol under which a reference to an element is passed.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"

CHROMIUM = ["chromium", "chromium-browser", "google-chrome"]


def programs() -> tuple[str, str] | None:
    """The paths of Chromium and chromedriver, if both are there."""
    chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
    driver = shutil.which("chromedriver")
    return (chromium, driver) if chromium and driver else None


class Browser:
    """A browser with an empty profile in a directory, until it is closed."""

    def __init__(self, chromium: str, driver: str, directory: Path) -> None:
        # Addresses on the loopback interface are never asked from a proxy.
        self._http = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self._driver = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=directory
        )
        try:
            self._session = self._start(chromium, directory)
        except BaseException:
            self._stop()
            raise

    def _start(self, chromium: str, directory: Path) -> str:
        said = ""
        assert self._driver.stdout is not None
        for line in self._driver.stdout:
            said += line
            if port := re.search(r"started successfully on port (\d+)", line):
                break
        else:
            raise RuntimeError(f"chromedriver did not start: {said}")
        self._address = f"http://127.0.0.1:{port[1]}/session"
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        arguments += ["--no-first-run", "--disable-background-networking", "--disable-component-update"]
        arguments += ["--disable-sync", "--disable-quic", f"--user-data-dir={directory / 'profile'}"]
        options = {"binary": chromium, "args": arguments}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        return self._ask("POST", "", capabilities={"alwaysMatch": wanted})["sessionId"]

    def _ask(self, method: str, path: str, **values: Any) -> Any:
        body = json.dumps(values).encode() if method == "POST" else None
        request = urllib.request.Request(self._address + path, body, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with self._http.open(request, timeout=100) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()}") from None

    def _post(self, path: str, **values: Any) -> Any:
        return self._ask("POST", f"/{self._session}{path}", **values)

    def close(self) -> None:
        try:
            self._ask("DELETE", f"/{self._session}")
        finally:
            self._stop()

    def _stop(self) -> None:
        self._driver.terminate()
        self._driver.wait(timeout=30)
        assert self._driver.stdout is not None
        self._driver.stdout.close()

    def open(self, address: str, scripts: bool = True) -> None:
        """Opens a page, with or without its scripts, and forgets what was logged before."""
        self.command("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.messages()
        self.requests()
        self._post("/url", url=address)
        if scripts:
            # Chromium drops keys that are pressed before the first picture of a page.
            drawn = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
            self._post("/execute/async", script=drawn, args=[])

    def run(self, script: str, *arguments: Any) -> Any:
        """The value that a script returns."""
        return self._post("/execute/sync", script=script, args=arguments)

    def command(self, name: str, **parameters: Any) -> Any:
        """A command of the browser's own protocol, such as those that emulate another screen."""
        return self._post("/goog/cdp/execute", cmd=name, params=parameters)

    def find(self, selector: str) -> str:
        return self._post("/element", using="css selector", value=selector)[ELEMENT]

    def click(self, selector: str) -> None:
        self._post(f"/element/{self.find(selector)}/click")

    def type(self, selector: str, keys: str) -> None:
        """Focuses an element and presses keys."""
        self._post(f"/element/{self.find(selector)}/value", text=keys)

    def press(self, key: str) -> None:
        """Presses a key where the focus is."""
        strokes = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._post("/actions", actions=[{"type": "key", "id": "keys", "actions": strokes}])

    def clear(self, selector: str) -> None:
        self._post(f"/element/{self.find(selector)}/clear")

    def png(self, selector: str = "html", margin: int = 0) -> bytes:
        """A picture of all elements that are selected, also of what the window does not show."""
        box = self.run(
            "const boxes = [...document.querySelectorAll(arguments[0])].map(each => each.getBoundingClientRect());"
            "const [margin, least, most] = [arguments[1], name => Math.min(...boxes.map(each => each[name])),"
            "  name => Math.max(...boxes.map(each => each[name]))];"
            "const [x, y] = [least('left') + scrollX - margin, least('top') + scrollY - margin];"
            "const [right, bottom] = [most('right') + scrollX + margin, most('bottom') + scrollY + margin];"
            "return {x, y, width: right - x, height: bottom - y}",
            selector,
            margin,
        )
        picture = self.command("Page.captureScreenshot", clip={**box, "scale": 1}, captureBeyondViewport=True)
        return base64.b64decode(picture["data"])

    def screen(self, width: int, height: int = 900) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", **metrics)

    def media(self, kind: str = "screen", scheme: str = "light") -> None:
        """Shows the page on a screen or as printed, and to a reader who prefers a light or a dark scheme."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.command("Emulation.setEmulatedMedia", media=kind, features=[feature])

    def messages(self) -> list[dict[str, Any]]:
        """What the console shows: errors of scripts, refused requests, and what scripts print."""
        return self._post("/se/log", type="browser")

    def requests(self) -> list[str]:
        """The addresses that the browser asked for since the page was opened."""
        found = []
        for entry in self._post("/se/log", type="performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found
