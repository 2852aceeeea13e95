"""The page in a browser, where there is one: nothing is complained of, filters and keys do what they say."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .samples import finding, out

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium here")

#: What a test may use: which findings are seen, an element, a change of a box, a key where the focus is.
HELP = """
const seen = () => [...document.querySelectorAll("article")].filter((one) => one.checkVisibility())
  .map((one) => one.dataset.file + " " + one.dataset.code);
const one = (selector) => document.querySelector(selector);
const choose = (selector) => one(selector).click();
const type = (text) => { one("#search").value = text;
  one("#search").dispatchEvent(new Event("input", { bubbles: true })); };
const press = (key) => { document.activeElement.dispatchEvent(
  new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })); };
const at = () => document.activeElement.dataset.code || document.activeElement.id;
"""

PAGE = out(
    "html",
    finding("a.py"),
    finding("a.py", code="IPL102", severity="warning", shift=3, fix=None, message="another"),
    finding("b.py", code="IPL103", severity="note", message="a third"),
)


def answers(script: str, folder: Path) -> Any:
    """What a list of expressions, separated by semicolons in lines of their own, gives on the page."""
    steps = ",\n".join(f"() => ({line.strip().rstrip(';')})" for line in script.strip().splitlines())
    asking = f"""<script>{HELP}
const told = [{steps}].map((step) => {{ const value = step(); return value === undefined ? null : value; }});
document.body.append(Object.assign(document.createElement("pre"), {{ id: "told", textContent: JSON.stringify(told) }}));
</script></body>"""
    (folder / "page.html").write_text(PAGE.replace("</body>", asking), encoding="ascii")
    options = (
        "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --enable-logging=stderr".split()
    )
    where = ["--dump-dom", f"--user-data-dir={folder / 'profile'}"]
    done = subprocess.run(
        [BROWSER or "", *options, *where, (folder / "page.html").as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if "<html" not in done.stdout:
        pytest.skip("the browser that is here does not start")
    assert "CONSOLE" not in done.stderr, done.stderr
    told = re.search(r'<pre id="told">(.*?)</pre>', done.stdout)
    assert told is not None, done.stderr
    return json.loads(told[1])


def test_filters_groups_and_search(tmp_path: Path) -> None:
    script = """
        seen();
        choose("input[value=warning]");
        seen();
        one("#shown").textContent;
        type("THIRD b.py");
        seen();
        choose("#all");
        seen();
        choose("input[name=by][value=rule]");
        [...document.querySelectorAll("main h2")].map((head) => head.textContent.slice(0, 6));
        [...document.querySelectorAll("nav li")].map((row) => row.lastChild.textContent);
        choose("input[value=none]");
        seen();
    """
    every = ["a.py IPL101", "a.py IPL102", "b.py IPL103"]
    told = [one for one in answers(script, tmp_path) if one is not None]
    assert told == [
        every,
        ["a.py IPL101", "b.py IPL103"],
        "2 of 3 findings",
        ["b.py IPL103"],
        every,
        ["IPL101", "IPL102", "IPL103"],
        ["1", "1", "1"],
        ["a.py IPL101", "b.py IPL103"],
    ]


def test_keys_and_links(tmp_path: Path) -> None:
    script = """
        one("#search").focus();
        press("j");
        at();
        one("main").focus();
        press("j");
        at();
        press("f");
        one("article details").open;
        press("j");
        press("j");
        press("j");
        at();
        press("k");
        at();
        choose("input[value=error]");
        seen();
        press("/");
        at();
    """
    told = [one for one in answers(script, tmp_path) if one is not None]
    assert told == ["search", "IPL101", True, "IPL103", "IPL102", ["a.py IPL102", "b.py IPL103"], "search"]
