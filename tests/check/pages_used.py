#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""report --html in Chromium, with keys and clicks: sorting, the filter, the flame graph, narrow, printed, without scripts, with 2,000 maps."""
import os
import re
import sys
import tempfile
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT + "/tests/tools")
import browser
import checks
import mkarchives
from checks import ok
from pages import run, Page

ARCHIVES = ROOT + "/tests/archives/"
VISIBLE = "[...document.querySelectorAll('%s')].filter(e => e.offsetParent).map(e => e.textContent)"


def page(b, work, archive, *options, **how):
    path = work + "/page.html"
    run("report", archive, "--html", *options, "--output", path)
    b.open(path, **how)
    return path


def clean(b, path):
    mine, theirs = Page(open(path).read()), Page(b.ask("document.documentElement.outerHTML"))
    made = {t.split()[1] for t in theirs.wrong if t.startswith("element")}
    ok(not b.errors and made == {"button", "input", "output"} and theirs.tags["button"] == mine.tags["th"] + 1, "no errors, and only the controls are new", b.errors, theirs.wrong)
    ok(theirs.tags["tr"] == mine.tags["tr"] and theirs.tags["section"] == mine.tags["section"] and theirs.tags["script"] == 1, "chromium finds the same elements", mine.tags, theirs.tags)


def sorts(b):
    for headings, want in ((["id"], "761"), (["id", "id"], "167"), (["name"], "716"), (["percent"], "176"), (["percent", "percent"], "617"), (["life"], "176")):
        b.reload()
        for name in headings:
            b.ask("[...document.querySelectorAll('#time th button')].find(e => e.textContent === '%s').click()" % name)
        got = "".join(b.ask("[...document.querySelectorAll('#time tbody tr')].map(e => e.cells[0].textContent)"))
        ok(got == want and b.ask("document.querySelectorAll('#time [aria-sort]').length") == 1, "a click on %s sorts" % " and ".join(headings), got)


def policy(b, work, path):
    with open(work + "/other.html", "w") as f:
        f.write(open(path).read().replace("</body>", "<script>document.body.textContent = 'run'</script></body>"))
    b.open(work + "/other.html")
    ok("main_prog" in b.ask("document.body.textContent") and b.errors, "the policy refuses other scripts", b.errors)


def filters(b):
    rows = len(b.ask(VISIBLE % "tbody tr"))
    b.type(".tools input", "later")
    few = b.ask(VISIBLE % "tbody tr")
    ok(few and len(few) < rows and all("later" in r for r in few) and b.ask(VISIBLE % ".axis") and re.fullmatch(r"\d+ of \d+ rows", b.ask("document.querySelector('.tools output').value")),
       "the filter hides rows", few)
    b.type(".tools input", "later no-such")
    ok(not b.ask(VISIBLE % "tbody tr"), "all words must be in a row")
    b.ask("document.querySelector('.tools input').value = ''; document.querySelector('.tools input').dispatchEvent(new Event('input'))")
    ok(len(b.ask(VISIBLE % "tbody tr")) == rows, "without words all rows are back")


def frames(b):
    return b.ask(VISIBLE % ".frame > :first-child")


def flames(b):
    every = frames(b)
    status = "document.querySelector('#flame output').value"
    ok("main_prog" in every and "helper" in every and not any("bpf_prog_" in f for f in every), "frames have names, not tags", every)
    b.click(".flame a")
    program = b.ask("document.querySelector('.flame a').textContent")
    ok(program in frames(b) and len(frames(b)) < len(every) and b.ask("(() => { const e = document.querySelector('.flame a').getBoundingClientRect(); "
       "return e.width / document.querySelector('.flame').getBoundingClientRect().width; })()") > .98, "a click widens a frame", frames(b))
    code = b.ask("document.querySelector('#flame .tools a').hash")
    ok(code.startswith("#code-") and b.ask("!!document.querySelector('%s')" % code) and b.ask("location.hash") == "" and " sample" in b.ask(status), "with a link to its code", code)
    b.key("Escape")
    ok(frames(b) == every, "Escape shows the whole graph")
    b.ask("document.querySelector('.flame [tabindex=\"0\"]').focus()")
    b.key("ArrowUp")
    above = b.ask("document.activeElement.textContent")
    b.key("ArrowDown")
    b.key("ArrowRight")
    ok(above != program and b.ask("document.activeElement.closest('.flame') !== null && document.querySelectorAll('.flame [tabindex=\"0\"]').length") == 1, "arrows move among frames", above)
    b.key("Enter")
    ok(len(frames(b)) <= len(every) and b.ask("document.querySelectorAll('.frame.in').length") > 0, "Enter widens it")
    b.click("#flame .tools button")
    ok(frames(b) == every, "a button shows the whole graph")
    b.type("#flame input", "RUN_IT")
    ok(b.ask(status) == "2 functions, 60.0% of the samples" and b.ask("document.querySelectorAll('.hit').length") == 2, "the search marks functions and counts their samples once", b.ask(status))


def printed(b):
    """Programs of the flame graph have the colour of heat, which is a background."""
    pdf, heat = b.pdf(), 0
    for stream in re.findall(rb"(?s)stream\r?\n(.*?)endstream", pdf):
        try:
            heat += zlib.decompress(stream).count(b"1 .3529 .1569 rg")
        except zlib.error:
            continue
    ok(pdf.startswith(b"%PDF") and heat, "the printed page has its colours", len(pdf))


def sheets(b):
    return len(re.findall(rb"/Type /Page\b", b.pdf()))


def printed_open(b):
    """Code of a hundred programs is thousands of rows, which take minutes to lay out on paper."""
    closed = sheets(b)
    b.ask("document.querySelectorAll('details').forEach(e => e.open = true)")
    ok(sheets(b) > closed, "only what is open is printed", closed)


def many(b, work):
    ids, path = range(1, 2001), work + "/many.tar.gz"
    system = [x for x in mkarchives.SYSTEM if x[0] != "sys/pins"]
    with open(path, "wb") as f:
        f.write(mkarchives.archive(system + [("sys/pins", "".join("map %d /sys/fs/bpf/many/map_%d\n" % (i, i) for i in ids)), ("map/ids", mkarchives.u32(*ids)), ("prog/ids", b""), ("link/ids", b""),
                                             ("btf/ids", b"")] + [("map/%d/info" % i, mkarchives.bmap(i, 1, "map_%d" % i)) for i in ids]))
    html = open(page(b, work, path)).read()
    graph = html.split('<section id="graph">')[1].split("</section>")[0]
    ok(len(graph) < 200000 and graph.count("<details") == 1 and b.ask("document.querySelectorAll('#maps tbody tr').length") == 2000, "2,000 maps are one part of the graph", len(graph))
    b.type(".tools input", "map_1999")
    ok(len(b.ask(VISIBLE % "#maps tbody tr")) == 1 and b.ask("document.body.getBoundingClientRect().height") < 5000, "the filter finds one of them")


def main():
    if not browser.NAME:
        print("skip - chromium is not installed")
        return
    work, sampled, parts = tempfile.mkdtemp(), ARCHIVES + "sampled.tar.gz", ARCHIVES + "sampled_parts.tar.gz"
    try:
        b = browser.Browser()
    except (EOFError, OSError):
        print("skip - chromium does not run here")
        return
    path = page(b, work, parts)
    clean(b, path)
    sorts(b)
    policy(b, work, path)
    page(b, work, sampled)
    filters(b)
    flames(b)
    printed(b)
    for archive in (sampled, parts, ARCHIVES + "tasks.tar.gz"):
        page(b, work, archive, "--all", width=400)
        ok(b.ask("document.documentElement.scrollWidth") <= 400, "400 pixels are enough for " + os.path.basename(archive), b.ask("document.documentElement.scrollWidth"))
    printed_open(b)
    page(b, work, sampled, scripts=False)
    ok(frames(b) and b.ask(VISIBLE % "tbody tr") and not b.ask("document.querySelector('.tools')"), "complete without scripts")
    many(b, work)
    b.close()


main()
sys.exit(checks.failures != 0)
