"""The page that `neardup report` writes, opened in a browser: what it shows, and what a reader can do with it."""

from __future__ import annotations

import base64
import io
import json
import re
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import neardup
import numpy
import pytest
from browser import DOWN, ENTER, HOME, SPACE, TAB, Browser, programs
from matplotlib.image import imread

ROOT = Path(__file__).resolve().parents[2]
# Three rows of which the second connects the others, templates, changed facts, a copy and copy edits.
ROWS = [
    "alpha beta gamma delta epsilon zeta",
    "alpha beta gamma delta epsilon eta",
    "theta beta gamma delta epsilon eta",
    "Mayor Orla Brandt had an approval rating of 22% among voters in the autumn of 2008.",
    "Mayor Ilse Varnholt had an approval rating of 56% among voters in the autumn of 2012.",
    "The Tamar Bridge was opened to trains in 1901 by the mayor.",
    "The Tamar Bridge was opened to trains in 1907 by the mayor.",
    "A breakwater of granite blocks shelters the roadstead from the gales of the south.",
    "A breakwater of granite blocks shelters the roadstead from the gales of the south.",
    "The national theatre employs a permanent company of actors and seats many guests.",
    "The national theatre seats many guests and employs a permanent company of actors.",
    "Nothing else in this corpus resembles these words about quarries and lime kilns.",
]
# What a page must never run, load or end its own elements with; TRAP is an address of this test.
MARKUP = [
    "<script>window.hacked = 1</script>",
    "</script><script src='TRAP/script.js'></script><script>window.hacked = 2</script>",
    "</textarea></p></div></article></details><img src='TRAP/image.png' onerror='window.hacked = 3'>",
    "</style><style>@import url(TRAP/style.css); body { display: none }</style>",
    "\" onmouseover=\"window.hacked = 4\" autofocus onfocus=\"window.hacked = 5\" ' tabindex=1",
    "<a href=\"javascript:window.hacked = 6\">link</a><iframe src='TRAP/frame'></iframe><form><input>",
    "<!-- <svg onload='window.hacked = 7'><base href='TRAP/'><meta http-equiv=refresh content='0; url=TRAP/next'>",
    "\u202emirrored\u202c \u2066isolated\u2069 \u200fמילים בעברית\u200e and \u061cكلمات عربية",
]


def run(binary: str, *arguments: str | Path) -> None:
    subprocess.run([binary, *arguments], check=True, stdout=subprocess.DEVNULL)


def job(binary: str, directory: Path, name: str, rows: list[dict[str, str]]) -> Path:
    """A job with rows, which are written beside it, and a report on it."""
    source = directory / f"{name}.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    output = directory / name
    options = ["--resolution", "components", "--threshold", "0.6", "--shingle", "word:1", "--quiet"]
    run(binary, "dedup", source, "-o", output, *options)
    run(binary, "report", output)
    return output


@pytest.fixture(scope="module")
def traps():
    """An address on the loopback interface, and the requests that it got."""
    requests: list[str] = []

    class Trap(BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Trap)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", requests
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def jobs(binary, traps, tmp_path_factory) -> dict[str, Path]:
    """Directories of jobs: of ordinary texts, of texts, ids and names that are markup, of the sample, of nothing."""
    address, _ = traps
    directory = tmp_path_factory.mktemp("jobs")
    plain = [{"id": f"r{at:02}", "text": text} for at, text in enumerate(ROWS)]
    markup = []
    for at, text in enumerate(MARKUP):
        text = text.replace("TRAP", address)
        for copy in ("", " seven"):
            row = {"id": f"<b id='{at}'>{text[:30]}{copy}", "text": f"{text} one two three four five six{copy}"}
            markup.append(row)
    found = {
        "texts": job(binary, directory, "texts", plain),
        "markup": job(binary, directory, "out <i>&'\" #1", markup),
        "nothing": job(binary, directory, "nothing", plain[-1:]),
        "sample": directory / "sample",
    }
    run(binary, "dedup", "--quiet", "-o", found["sample"])
    run(binary, "report", found["sample"])
    return found


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = programs()
    if found is None:
        pytest.skip("the report is not opened in a browser: Chromium and chromedriver are not in PATH")
    browser = Browser(*found, tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()


@pytest.fixture
def open_page(browser, jobs):
    """Opens the report on a job, on a wide light screen."""

    def open_page(name: str, scripts: bool = True) -> None:
        browser.media()
        browser.screen(1280)
        browser.open((jobs[name] / "report.html").as_uri(), scripts)

    return open_page


def picture(browser: Browser, selector: str = "html") -> numpy.ndarray:
    """What an element looks like: rows, columns, and red, green and blue from 0 to 255."""
    pixels = imread(io.BytesIO(browser.png(selector)), format="png")[:, :, :3]
    return (pixels * 255).round().astype(int)


def visible_pairs(browser) -> list[str]:
    """The texts of the pairs that are shown in the last section."""
    return browser.run(
        "return [...document.querySelectorAll('#pairs article')]"
        ".filter(pair => pair.getClientRects().length).map(pair => pair.innerText)"
    )


def status(browser) -> str:
    return browser.run("return document.getElementById('shown').textContent")


def removed(job: Path) -> list[dict]:
    """The removed rows of a job with both texts and their kind, as SQL finds them without the report."""
    table = neardup.connect(threads=1).sql(
        f"""
        SELECT id, similarity, own, kept, classify_pair(kept, own)['class'] AS kind
        FROM (
          SELECT removed.id, removed.similarity, own.text AS own, kept.text AS kept
          FROM '{job}/removed.parquet' AS removed
          JOIN '{job}.jsonl' AS own ON removed.id = own.id
          JOIN '{job}.jsonl' AS kept ON removed.representative_id = kept.id
        )
        """
    )
    return table.to_arrow().to_pylist()


PAGES = ["texts", "markup", "nothing", "sample"]


@pytest.mark.parametrize("name", PAGES)
def test_scripts_run_without_errors_and_nothing_is_requested(browser, jobs, traps, open_page, name):
    open_page(name)
    assert browser.run("return document.body.dataset.ready") == "true"
    assert browser.messages() == []
    assert browser.requests() == [(jobs[name] / "report.html").as_uri()]
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    assert traps[1] == []


def test_what_a_faulty_page_does_is_noticed(browser, traps, tmp_path):
    """The checks above and below fail where they should."""
    address, requests = traps
    page = tmp_path / "page.html"
    page.write_text(
        f"<!DOCTYPE html><title>x</title><body style='color: #999'><img src='{address}/seen.png'>"
        "<h1>One</h1><h3>Three</h3><input><div style='width: 3000px'>wide</div>"
        "<script>window.hacked = 1; missing()</script>"
    )
    browser.media()
    browser.screen(390)
    browser.open(page.as_uri())
    assert any("missing is not defined" in message["message"] for message in browser.messages())
    assert f"{address}/seen.png" in browser.requests()
    assert requests == ["/seen.png"]
    requests.clear()
    assert browser.run("return window.hacked") == 1
    assert overflow(browser) > 0
    assert skipped_headings(browser) == ["H3"]
    assert sorted(unnamed(browser)) == ["image", "textbox"]
    assert least_contrast(browser)[0] < 3
    assert not numpy.ptp(picture(browser, "input")[2:-2, 2:-2]) > 0, "an empty field has one colour"


def test_texts_ids_and_names_are_never_markup(browser, open_page):
    open_page("markup")
    assert browser.run("return window.hacked === undefined")
    assert browser.run("return document.scripts.length") == 1
    assert browser.run("return document.querySelectorAll('style').length") == 1
    foreign = "img, iframe, base, textarea, object, embed, link, b[id], a:not([href^=\"#\"]), [onmouseover], [onfocus]"
    assert browser.run("return document.querySelectorAll(arguments[0]).length", foreign) == 0
    assert browser.run("return document.forms.length") == 1
    # What was markup in a text is what a reader sees, on both sides.
    shown = "\n".join(visible_pairs(browser))
    for text in ("<script>window.hacked = 1</script>", "</textarea>", "<iframe src=", "<!-- <svg onload="):
        assert shown.count(text) >= 2, text
    # Characters that change the direction of what follows are named, and Hebrew stays.
    assert "<U+202E>mirrored<U+202C>" in shown and "מילים בעברית" in shown
    page = browser.run("return document.documentElement.textContent")
    assert not set(page) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
    assert browser.run("return document.title").endswith("out <i>&'\" #1")


def test_the_policy_of_the_page_refuses_requests(browser, traps, open_page):
    """Even an element that found its way into the page could not load anything."""
    address, requests = traps
    open_page("texts")
    browser.run(
        "for (const [tag, name] of [['img', 'src'], ['iframe', 'src'], ['script', 'src'], ['link', 'href']]) {"
        "  const each = document.createElement(tag); each.rel = 'stylesheet';"
        "  each[name] = `${arguments[0]}/${tag}`; document.body.append(each) }",
        address,
    )
    wanted = ["img-src", "frame-src", "script-src", "style-src"]
    refused = ""
    for _ in range(100):
        refused += "".join(message["message"] for message in browser.messages())
        if all(kind in refused for kind in wanted):
            break
        time.sleep(0.1)
    assert [kind for kind in wanted if kind not in refused] == []
    assert requests == []


def test_what_states_another_fact_comes_first(browser, jobs, open_page):
    expected = {row["id"]: row for row in removed(jobs["texts"])}
    open_page("texts")
    kinds = browser.run("return [...document.querySelectorAll('#pairs article')].map(each => each.dataset.kind)")
    assert sorted(kinds) == sorted(row["kind"] for row in expected.values())
    order = ["factual_drift", "template", "copy_edit", "reference", "other", "not_similar", "identical"]
    assert kinds == sorted(kinds, key=order.index) and kinds[0] == "factual_drift" and kinds[-1] == "identical"
    facts = "return document.querySelector('#pairs article[data-kind=factual_drift] .head').innerText"
    assert browser.run(facts).endswith("factual drift: date 1901 → 1907")


def test_filters_show_the_pairs_that_fit(browser, jobs, open_page):
    expected = removed(jobs["texts"])
    kinds = [row["kind"] for row in expected]
    assert {"template", "factual_drift", "identical"} <= set(kinds)
    open_page("texts")

    def check(rows) -> None:
        ids = sorted(row["id"] for row in rows)
        shown = visible_pairs(browser)
        assert len(shown) == len(ids)
        assert all(any(f"removed {each}" in pair for pair in shown) for each in ids)
        assert status(browser) == f"{len(ids)} of {len(expected)} pairs are shown."

    check(expected)
    offered = browser.run("return [...document.querySelector('[name=kind]').options].map(option => option.value)")
    assert offered[0] == "" and sorted(offered[1:]) == sorted(set(kinds))

    def choose(kind: str) -> None:
        browser.type("[name=kind]", HOME + DOWN * offered.index(kind))

    for kind in offered[1:]:
        choose(kind)
        check([row for row in expected if row["kind"] == kind])
    # Typed into the field, in capitals, in two words that do not follow each other.
    choose("")
    browser.type("[name=search]", "OPENED tamar")
    bridge = [row for row in expected if "Tamar" in row["own"]]
    assert len(bridge) == 1
    check(bridge)
    choose("template")
    check([])
    browser.clear("[name=search]")
    choose("")
    check(expected)
    browser.type("[name=least]", "0.7")
    check([row for row in expected if row["similarity"] >= 0.7])
    browser.type("[name=most]", "0.99")
    between = [row for row in expected if 0.7 <= row["similarity"] <= 0.99]
    assert 0 < len(between) < len(expected)
    check(between)
    # Enter in a field leaves the page where it is.
    browser.type("[name=search]", ENTER)
    assert browser.run("return location.search") == ""
    check(between)


def test_the_page_is_read_with_the_keyboard(browser, open_page):
    open_page("sample")
    browser.press(TAB)
    focused = "return document.activeElement."
    assert browser.run(focused + "textContent") == "Skip to the content"
    assert browser.run(focused + "getBoundingClientRect().left") >= 0, "the link is seen when it has the focus"
    outline = "const style = getComputedStyle(document.activeElement); return [style.outlineStyle, style.outlineWidth]"
    assert browser.run(outline) == ["solid", "3px"]
    browser.press(ENTER)
    assert browser.run("return location.hash") == "#main"
    # From there, the next stop is the first list that can be opened.
    browser.press(TAB)
    assert browser.run(focused + "tagName") == "SUMMARY"
    for key, is_open in ((ENTER, True), (SPACE, False), (ENTER, True)):
        browser.press(key)
        assert browser.run(focused + "parentElement.open") is is_open
    assert browser.run("return document.querySelector('details table').getClientRects().length") == 1
    # Each stop on the way through the page is seen, and no stop is a trap.
    wanted = browser.run(
        "return [...document.querySelectorAll('a, summary, input, select')]"
        ".filter(each => each.getClientRects().length).length"
    )
    open_page("sample")
    stops = set()
    for _ in range(wanted + 1):
        browser.press(TAB)
        stop = browser.run(
            "const all = [...document.querySelectorAll('a, summary, input, select')];"
            "return all.indexOf(document.activeElement)"
        )
        if stop in stops or stop < 0:
            break
        stops.add(stop)
        assert browser.run(outline)[0] == "solid"
    assert len(stops) == wanted


def test_links_lead_to_their_sections(browser, open_page):
    open_page("sample")
    links = browser.run("return [...document.querySelectorAll('nav a')].map(link => link.getAttribute('href'))")
    assert len(links) == 9
    for link in links:
        browser.click(f"nav a[href='{link}']")
        assert browser.run("return location.hash") == link
        top = browser.run("return document.querySelector(arguments[0]).getBoundingClientRect().top", link)
        bottom = browser.run("return scrollY + innerHeight >= document.documentElement.scrollHeight - 1")
        assert abs(top) < 2 or bottom


def skipped_headings(browser) -> list[str]:
    """Headings that are more than one level below the one before."""
    levels = browser.run("return [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(each => each.tagName)")
    before = [0] + [int(level[1]) for level in levels]
    return [level for level, last in zip(levels, before) if int(level[1]) > last + 1]


def unnamed(browser) -> list[str]:
    """Roles of what a reader can use or that is a picture, but has no name for a screen reader."""
    named = {"button", "combobox", "DisclosureTriangle", "img", "image", "link", "region", "navigation"}
    named |= {"searchbox", "spinbutton", "textbox"}
    tree = browser.command("Accessibility.getFullAXTree")["nodes"]
    roles = {node["role"]["value"] for node in tree if not node["ignored"]}
    assert roles, "the browser has no tree of what a screen reader reads"
    return [
        node["role"]["value"]
        for node in tree
        if not node["ignored"] and node["role"]["value"] in named and not node.get("name", {}).get("value")
    ]


@pytest.mark.parametrize("name", PAGES)
def test_a_screen_reader_finds_names_and_headings(browser, open_page, name):
    open_page(name)
    assert browser.run("return document.documentElement.lang") == "en"
    assert skipped_headings(browser) == []
    assert browser.run("return document.querySelectorAll('h1').length") == 1
    assert unnamed(browser) == []
    fields = "return [...document.querySelectorAll('input, select')].map(each => each.labels.length)"
    assert browser.run(fields) == ([] if name == "nothing" else [1, 1, 1, 1])
    charts = browser.run(
        "return [...document.querySelectorAll('figure')].map(figure => {"
        "  const chart = figure.querySelector('[role=img]');"
        "  return [chart.getAttribute('aria-label'), figure.querySelectorAll('table tbody tr').length]})"
    )
    assert all(label for label, _ in charts)
    assert len({label for label, _ in charts}) == len(charts) == {"nothing": 1}.get(name, len(charts))
    if name == "sample":
        assert len(charts) == 5 and all(rows > 0 for _, rows in charts)
    # The number of pairs is read out when it changes.
    if name != "nothing":
        assert browser.run("return document.getElementById('shown').getAttribute('role')") == "status"
    doubled = browser.run(
        "const ids = [...document.querySelectorAll('[id]')].map(each => each.id);"
        "return ids.filter((id, at) => ids.indexOf(id) !== at)"
    )
    assert doubled == []


def overflow(browser) -> int:
    """By how many pixels the page is wider than the window."""
    return browser.run("const root = document.documentElement; return root.scrollWidth - root.clientWidth")


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_fits_the_screen(browser, open_page, name, width):
    open_page(name)
    browser.screen(width)
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
    assert browser.run("return innerWidth") == width
    assert overflow(browser) == 0
    sides = browser.run(
        "return [...document.querySelectorAll('.sides')].map(each => [...each.children].map(side => "
        "side.getBoundingClientRect().top))"
    )
    # Texts are beside each other where there is space for both, and below each other on a phone.
    assert all((left == right) is (width == 1280) for left, right in sides)
    assert sides or name == "nothing"
    # Letters in charts are no smaller than 11 pixels on any screen, inside of the page, and not above each other.
    letters = browser.run(
        "return [...document.querySelectorAll('figure [role=img]')].map(chart =>"
        "  [...chart.querySelectorAll('text, span')].filter(each => each.getClientRects().length).map(each => {"
        "    const range = document.createRange(); range.selectNodeContents(each);"
        "    const box = range.getBoundingClientRect();"
        "    const scale = each.ownerSVGElement ? each.getScreenCTM().a : 1;"
        "    return [box.left, box.top, box.right, box.bottom, parseFloat(getComputedStyle(each).fontSize) * scale]}))"
    )
    for chart in letters:
        assert all(left >= 0 and right <= width and size >= 11 for left, _, right, _, size in chart), chart
        for at, one in enumerate(chart):
            for other in chart[at + 1 :]:
                apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] + 1 or other[3] <= one[1] + 1
                assert apart, (one, other)


def colour(browser, name: str) -> tuple[int, int, int]:
    """A colour of the page's scheme, as red, green and blue."""
    return tuple(
        browser.run(
            "const probe = document.createElement('span'); probe.style.color = `var(${arguments[0]})`;"
            "document.body.append(probe); const colour = getComputedStyle(probe).color; probe.remove();"
            "return colour.match(/\\d+/g).map(Number)",
            name,
        )
    )


def of_colour(picture: numpy.ndarray, wanted: tuple[int, int, int]) -> numpy.ndarray:
    """Which pixels have a colour, but for the smallest differences."""
    return (abs(picture - numpy.array(wanted)) <= 3).all(axis=2)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_picture_of_a_chart_is_its_data(browser, open_page, scheme, width):
    open_page("sample")
    browser.media(scheme=scheme)
    browser.screen(width)
    bar = colour(browser, "--bar")
    # Horizontal bars: their lengths in pixels are as their numbers.
    places = browser.run(
        "const chart = document.querySelector('#rows .bars'); const all = chart.getBoundingClientRect();"
        "return [...chart.querySelectorAll('i')].map(each => { const box = each.getBoundingClientRect();"
        "  return [(box.top + box.bottom) / 2 - all.top,"
        "    Number(each.parentElement.textContent.replaceAll(',', ''))]})"
    )
    pixels = of_colour(picture(browser, "#rows .bars"), bar)
    lengths = [int(pixels[int(middle)].sum()) for middle, _ in places]
    numbers = [number for _, number in places]
    assert len(numbers) == 9 and numbers[-1] == 320
    for length, number in zip(lengths, numbers):
        assert abs(length - max(lengths) * number / max(numbers)) <= 1.5, (lengths, numbers)
    # Vertical ones: the larger number is the higher column, and what is empty has none.
    columns = of_colour(picture(browser, "#sizes svg"), bar).sum(axis=0)
    middles = browser.run(
        "const chart = document.querySelector('#sizes svg'); const all = chart.getBoundingClientRect();"
        "return [2, 3, 4, 5, 6].map(at => (at - 2 + 0.25) / 5 * all.width)"
    )
    heights = [int(columns[int(middle)]) for middle in middles]
    assert heights[0] > heights[1] > heights[2] == heights[4] > 0 == heights[3], heights
    # The height of one row is that of a power of ten.
    edges = 2
    step = heights[2] + edges
    for height, number in ((heights[0], 42), (heights[1], 3)):
        assert abs(height + edges - step * (1 + numpy.log10(number))) <= 2, heights


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_differences_are_seen_in_the_picture(browser, open_page, scheme):
    open_page("texts")
    browser.media(scheme=scheme)
    drift = picture(browser, "#pairs article[data-kind=factual_drift] .sides")
    half = drift.shape[1] // 2
    deleted = of_colour(drift, colour(browser, "--del"))
    inserted = of_colour(drift, colour(browser, "--ins"))
    # A year of five characters on each side: red on the left, green on the right.
    for pixels, side in ((deleted, slice(None, half)), (inserted, slice(half, None))):
        assert pixels[:, side].sum() > 150
        assert pixels.sum() == pixels[:, side].sum()
    same = picture(browser, "#pairs article[data-kind=identical] .sides")
    assert not of_colour(same, colour(browser, "--del")).any() and not of_colour(same, colour(browser, "--ins")).any()


CONTRAST = """
const numbers = (colour) => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
const light = ([r, g, b]) => [r, g, b].map((part) => part / 255)
  .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
const ratio = (one, other) => { const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05); };
const behind = (element) => { for (let each = element; each; each = each.parentElement) {
  const colour = numbers(getComputedStyle(each).backgroundColor); if (colour[3] === 1) return colour; }
  return [255, 255, 255, 1]; };
let least = [22, ""];
for (const element of document.querySelectorAll("body *")) {
  const text = [...element.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
  if (!text.length || !element.getClientRects().length || element.closest("script")) continue;
  const style = getComputedStyle(element);
  const colour = numbers(element.tagName === "text" ? style.fill : style.color);
  const found = ratio(colour, behind(element));
  if (found < least[0]) least = [found, `${element.tagName}: ${text[0].data}`];
}
return least;
"""


def least_contrast(browser) -> tuple[float, str]:
    """The smallest contrast of a text that is shown to what is behind it, and that text."""
    return tuple(browser.run(CONTRAST))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_stand_out(browser, open_page, scheme):
    """At least 4.5 to 1, as the Web Content Accessibility Guidelines want it (level AA); 3 to 1 for bars."""
    open_page("sample")
    browser.media(scheme=scheme)
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
    contrast, where = least_contrast(browser)
    assert 4.5 <= contrast < 22, (contrast, where)

    def light(parts):
        parts = [part / 255 for part in parts]
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    dark, bright = sorted([light(colour(browser, "--bar")), light(colour(browser, "--page"))])
    assert (bright + 0.05) / (dark + 0.05) >= 3


def test_a_dark_scheme(browser, open_page):
    open_page("sample")
    seen = {}
    for scheme in ("light", "dark"):
        browser.media(scheme=scheme)
        seen[scheme] = picture(browser).mean()
    assert seen["light"] > 220 and seen["dark"] < 60


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_printed_page(browser, open_page, scheme):
    open_page("texts")
    pairs = len(visible_pairs(browser))
    browser.media("print", scheme)
    assert len(visible_pairs(browser)) == pairs > 0
    shown = "return document.querySelector(arguments[0]).getClientRects().length"
    assert browser.run(shown, "form") == browser.run(shown, "nav") == 0
    # Ink on white paper, whatever the screen shows, with the bars.
    assert colour(browser, "--page") == (255, 255, 255)
    assert picture(browser).mean() > 220
    assert of_colour(picture(browser, "#rows .bars"), colour(browser, "--bar")).sum() > 1000
    assert browser.command("Page.printToPDF")["data"].startswith("JVBERi0"), "no PDF"


@pytest.mark.parametrize("scripts", [True, False])
def test_the_printed_page_has_clusters_and_data_and_is_short(browser, open_page, scripts):
    open_page("sample", scripts)
    closed = "return [...document.querySelectorAll('details')].every(each => !each.open)"
    heights = (
        "return [...document.querySelectorAll('details')].filter(each => each.getClientRects().length)"
        ".map(each => each.getBoundingClientRect().height - each.firstElementChild.getBoundingClientRect().height)"
    )
    many = len(visible_pairs(browser))
    assert browser.run(closed) and max(browser.run(heights)) < 2
    shown = "return [...document.querySelectorAll(arguments[0])].filter(each => each.getClientRects().length).length"
    of_kinds = browser.run("return [...document.querySelectorAll('#pairs article')].map(each => each.dataset.kind)")
    assert browser.run(shown, ".print") == 0
    browser.media("print")
    # What is closed on the screen is on paper: tables, and rows of clusters.
    assert browser.run(closed) and min(browser.run(heights)) > 10
    printed = len(visible_pairs(browser))
    assert printed == sum(min(of_kinds.count(kind), 4) for kind in set(of_kinds)) < many
    assert 0 < browser.run(shown, "#clusters details") <= 9
    assert browser.run(shown, "#all-pairs .print") == 1
    pages = base64.b64decode(browser.command("Page.printToPDF")["data"])
    assert 3 < len(re.findall(rb"/Type\s*/Page\b", pages)) < 20
    # The heading of a chart is on the page of the chart.
    rules = "return getComputedStyle(document.querySelector('#sizes h2')).breakAfter"
    assert browser.run(rules) == "avoid"
    browser.media("screen")
    assert len(visible_pairs(browser)) == many and max(browser.run(heights)) < 2


def test_without_scripts_everything_is_there(browser, open_page):
    open_page("texts", scripts=False)
    assert browser.run("return document.body.dataset.ready === undefined")
    assert len(visible_pairs(browser)) > 0
    assert browser.run("return document.querySelector('form').getClientRects().length") == 0


def test_clusters_can_be_opened(browser, open_page):
    open_page("texts")
    chain = "#clusters details:nth-of-type(1)"
    text = "return document.querySelector(arguments[0]).innerText"
    assert "alpha beta gamma" in browser.run(text, chain + " summary")
    assert browser.run("return document.querySelector(arguments[0]).open", chain) is False
    browser.click(chain + " summary")
    shown = browser.run(text, chain)
    # The kept row, and beside it the row that only another one connects with it.
    assert "theta" in shown and "0.500" in shown
    before = "return document.querySelector(arguments[0]).previousElementSibling.previousElementSibling.innerText"
    assert browser.run(before, chain) == "Chains"


def test_the_pictures_of_the_readme(browser, binary, tmp_path):
    """They can be made again, are small, and are described for readers who do not see them."""
    run(sys.executable, ROOT / "dev" / "pictures", "--neardup", binary, "--output", tmp_path)
    made = {path.name: imread(path) for path in tmp_path.glob("*.png")}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"!\[([^]]{40,})\]\(docs/images/([\w.]+)\)", readme))
    assert sorted(made) == sorted(shown.values()) == sorted(path.name for path in (ROOT / "docs" / "images").iterdir())
    for name, pixels in made.items():
        kept = ROOT / "docs" / "images" / name
        assert kept.stat().st_size < 150_000
        # Other fonts make other lines, but not another picture.
        assert abs(imread(kept)[:, :, :3].mean() - pixels[:, :, :3].mean()) < 0.03
        assert 0.7 < imread(kept).shape[0] / pixels.shape[0] < 1.4
