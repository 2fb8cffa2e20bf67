#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""report --html, of every archive: valid, without external resources, names are never markup, and one script; pages_used.py uses it."""
import base64
import collections
import glob
import hashlib
import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LENS = os.environ["BPFLENS"]
sys.path.insert(0, ROOT + "/tests/tools")
import checks  # noqa: E402
from checks import ok  # noqa: E402

VOID = {"meta"}
TAGS = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "nav", "a", "section", "div", "table", "thead", "tbody", "tr", "th", "td",
        "span", "ol", "li", "details", "summary", "svg", "g", "rect", "path", "text", "script"}
ATTRIBUTES = {"viewbox", "width", "height", "x", "y", "rx", "d", "fill", "lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "style", "scope", "title", "open",
              "data-v"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.wrong, self.ids, self.links, self.tags, self.text = [], [], [], [], collections.Counter(), []
        self.feed(text)
        self.close()
        self.wrong += ["not closed: " + t for t in self.open]
        self.wrong += ["an id twice: " + i for i, n in collections.Counter(self.ids).items() if n > 1]

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        if tag not in TAGS:
            self.wrong.append("element " + tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name not in ATTRIBUTES or (name == "style" and not re.fullmatch(r"--[pw]:\d+\.\d+|--a:\d+\.\d\d;--b:\d+\.\d\d", value)) or (name == "href" and value[:1] != "#"):
                self.wrong.append("%s=%s" % (name, value))
            if name == "id":
                self.ids.append(value)
            if name == "href":
                self.links.append(value[1:])

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append("ends out of order: " + tag)

    def handle_data(self, data):
        self.text.append(data)
        if any(ord(c) < 32 and c not in "\n\t" for c in data):
            self.wrong.append("a control character in %r" % data)


def run(*words):
    r = subprocess.run([LENS] + list(words), capture_output=True, timeout=60)
    return r.returncode, r.stdout.decode(), r.stderr.decode()


def page_of(path):
    status, text, errors = run("report", path, "--html")
    return status, text, errors, Page(text) if text else None


def archives():
    broken = []
    for path in sorted(glob.glob(ROOT + "/tests/archives/*.tar.gz")):
        status, text, errors, page = page_of(path)
        if not (status in (0, 5) and page and text.endswith("</body>\n</html>\n") and not page.wrong and (status == 0 or errors)) and \
           not (status in (1, 4) and not text and errors):
            broken.append("%s: %d %s %s" % (os.path.basename(path), status, page and page.wrong[:5], errors[:200]))
    ok(not broken, "each file gives a page, or is not an archive", *broken)


def hostile():
    status, text, errors, page = page_of(ROOT + "/tests/archives/sampled_parts.tar.gz")
    said = "".join(page.text)
    ok(not page.wrong and page.tags["script"] == 1 and '"><script>x&' in said and "</td></script><script>z('1')</script>" in said and
       "<img src=x onerror=y()>" in said and "</i><b>&" in said and "<u>'\"&;" in said, "names and source that look like markup are text", page.wrong, said)
    sampled = page_of(ROOT + "/tests/archives/sampled.tar.gz")[1]
    lanes = re.findall(r'class="lane"><a href="#prog-(\d)">.*?</a><span>(.*?)</span>.*? style="--a:([\d.]+);--b:([\d.]+)"', sampled)
    ok(lanes == [("6", "xdp 1s, by other(8)", "50.00", "50.00"), ("1", "socket_filter 500ms, by work er(7)", "0.00", "25.00")] and '<a href="#lives">' in sampled and
       re.findall(r"<span>(\d[^<]*)</span>", sampled) == ["0", "500ms", "1s", "1.5s", "2s"], "lives of programs, the longest first, and their loaders", lanes)
    missing = [link for link in page.links if link not in page.ids]
    ok(not missing and "code-7" in page.links and "prog-7" in page.links and "map-8" in page.links and "at-1-2" in page.links,
       "each link has a target", missing)
    ok("its translated code is shown" in said and "its machine code is not in this archive" in said and "21 samples in 2.0s" in said and
       "6.1.0-test" in said, "the machine, and what is missing", said)


def scripted():
    """The policy of a page admits its script, and no other."""
    text = page_of(ROOT + "/tests/archives/sampled_parts.tar.gz")[1]
    script = re.findall(r"(?s)<script>(.*?)</script>", text)
    hashed = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in script]
    ok(len(hashed) == 1 and "; script-src 'sha256-%s'\">" % hashed[0] in text, "the hash of the script", hashed)
    table = text.split('id="time"')[1].split("</table>")[0]
    ok(re.search(r'<td class="n" data-v="9">9</td><td class="n heat" data-v="42.857\d+" style="--p:42.9">42.86</td>', table) and
       re.search(r'<td data-v="1760001000">2025', table) and re.search(r'<td class="n" data-v="2000000000">2s</td>', table), "numbers for sorting", table)


def frames_of(name):
    """(share of the frame around it, its text, its title)"""
    text = page_of(ROOT + "/tests/archives/" + name)[1].split('<section id="flame">')[1].split("</section>")[0]
    return text, re.findall(r'<div class="frame" style="--w:([\d.]+)"><(?:span|a href="#code-\d") class="func-(\w+)" title="(.*?)" data-v="(\d+)">(.*?)</(?:span|a)>', text)


def flames():
    text, frames = frames_of("sampled.tar.gz")
    want = [("6.67", "host", "[unknown]: 1 sample, 6.7%"), ("100.00", "host", "classic:socket: 1 sample, 6.7%"), ("6.67", "host", "other:: 1 sample, 6.7%"),
            ("100.00", "prog", "bpf_prog_0606060606060606_later: 1 sample, 6.7%"), ("86.67", "host", "work er: 13 samples, 86.7%"),
            ("15.38", "host", "[unknown]: 2 samples, 13.3%"), ("7.69", "host", "[user]: 1 sample, 6.7%"),
            ("7.69", "prog", "bpf_prog_0606060606060606_later: 1 sample, 6.7%"), ("69.23", "host", "run_it: 9 samples, 60.0%"),
            ("88.89", "host", "run_it: 8 samples, 53.3%"), ("100.00", "prog", "bpf_prog_0101010101010101_main_prog: 8 samples, 53.3%"),
            ("12.50", "prog", "bpf_prog_1212121212121212_helper: 1 sample, 6.7%")]
    ok([f[:3] for f in frames] == want and all(re.fullmatch("(bpf_prog_[0-9a-f]{16}_)?%s: %s samples?, .*" % (re.escape(f[4]), f[3]), f[2]) for f in frames) and "left out" not in text,
       "a frame for each function of the stacks", "\n".join(map(str, frames)))
    ok(re.findall(r'<a href="#code-(\d)" class="func-prog" [^>]*>(\w+)</a>', text) == [("6", "later"), ("6", "later"), ("1", "main_prog"), ("1", "helper")],
       "programs by their names, with links to their code", text)


def graph_of(name):
    status, text, errors, page = page_of(ROOT + "/tests/archives/" + name)
    return text.split('<section id="graph">')[1].split("</section>")[0]


def together():
    small, large = graph_of("sampled_parts.tar.gz"), graph_of("early.tar.gz")
    ok(re.findall(r"<details open>\n<summary>(.*) \((\d)\)</summary>", small) == [("nobody; &lt;u&gt;&#39;&quot;&amp;; raw_tracepoint", "3"), ("without connections", "4")] and
       re.search(r'<div class="tree">link 9 raw_tracepoint .*\n\S+ prog 7 xdp &quot;&gt;&lt;script&gt;x&amp;\n   \S+ map 8 hash &quot;&gt;', small),
       "connected objects, under their owner", small)
    ok(re.search(r"^<details>\n<summary>mkobj\(\d+\) \(\d{3}\)</summary>", large, re.M) and "<details open>" not in large, "long parts are folded", large[:500])


def page_with(directory, archive):
    r = subprocess.run([LENS, "report", ROOT + "/tests/archives/" + archive, "--html"], capture_output=True, timeout=60, env=dict(os.environ, PATH=directory))
    return r.returncode, r.stdout.decode()


def drawn():
    """Pictures if Graphviz is installed, else only trees, also if dot fails."""
    work = tempfile.mkdtemp()
    without = page_with(work, "relations.tar.gz")
    ok("<svg" not in without[1] and '<div class="tree">' in without[1], "trees without Graphviz", without[0])
    for what, script in (("fails", "exit 1"), ("writes something else", "echo graph 1 x 2; echo stop"), ("stops early", "echo graph 1 2 2; echo node 99 1 1 1 1"),
                         ("has numbers of no place", "echo graph 1 1e300 nan; echo stop")):
        with open(work + "/dot", "w") as f:
            f.write("#!/bin/sh\n%s\n" % script)
        os.chmod(work + "/dot", 0o755)
        ok(page_with(work, "relations.tar.gz") == without, "trees if dot " + what)
    shutil.rmtree(work)
    if not shutil.which("dot"):
        print("skip - Graphviz is not installed")
        return
    found = os.path.dirname(shutil.which("dot"))
    page = page_with(found, "relations.tar.gz")
    svg = re.findall(r"(?s)<svg .*?</svg>", page[1])
    ok(page[0] == without[0] and without[1] == re.sub(r'(?s)<div class="picture">.*?</svg>\n</div>\n<details>\n<summary>as text</summary>\n(<div class="tree">.*?</div>\n)</details>\n', r"\1", page[1]),
       "pictures, with the text folded, and else the same page", page[0])
    ok([len(re.findall("<rect", x)) for x in svg] == [7, 8, 4] and
       all(len(re.findall('class="head"', x)) >= len(re.findall("<rect", x)) - 2 for x in svg), "a box for each node", [x[:300] for x in svg])
    hostile_svg = page_with(found, "sampled_parts.tar.gz")[1]
    ok(not Page(hostile_svg).wrong and "<text" in hostile_svg and "&lt;script&gt;x&amp;</text>" in hostile_svg, "names in pictures are text", hostile_svg[:200])


def more():
    """--all: the code of all programs. What was saved of maps is there without an option."""
    all_of = run("report", ROOT + "/tests/archives/tasks.tar.gz", "--html", "--all")[1]
    codes = re.findall(r'<section id="code-(\d+)">', all_of)
    ok(codes == ["6", "8", "9", "10", "11"] and not Page(all_of).wrong and '<a href="#codes">' in all_of and "samples in" not in all_of, "with --all the code of each program", codes)
    with_samples = run("report", ROOT + "/tests/archives/sampled.tar.gz", "--html", "--all")[1]
    codes = re.findall(r'<section id="code-(\d+)">', with_samples)
    ok(len(codes) == len(set(codes)) and not Page(with_samples).wrong, "each program once", codes)
    plain = run("report", ROOT + "/tests/archives/tasks.tar.gz", "--html")[1]
    contents = plain.split('<section id="contents">')[1].split("</section>")[0]
    ok("code-6" not in plain and "<summary>2 fw_flows, up to 100 elements</summary>" in contents and contents.count("<table>") == contents.count("<details>"), "contents of maps", contents[:500])


def written():
    work = tempfile.mkdtemp()
    path, of = work + "/page.html", ROOT + "/tests/archives/sampled.tar.gz"
    status, text, _ = run("report", of, "--html")
    again = run("report", of, "--html", "--output", path)
    ok(again[0] == status and not again[1] and open(path).read() == text and os.listdir(work) == ["page.html"], "a page as a file", again)
    os.truncate(path, 0)
    refused = run("report", ROOT + "/tests/archives/nothing.tar.gz", "--html", "--output", path)
    ok(refused[0] == 1 and os.path.getsize(path) == 0 and os.listdir(work) == ["page.html"], "no page for a file that is not an archive", refused)
    refused = run("report", of, "--html", "--output", work + "/none/page.html")
    ok(refused[0] == 3 and "ENOENT" in refused[2] and os.listdir(work) == ["page.html"], "no folder", refused)
    shutil.rmtree(work)


if __name__ == "__main__":
    archives()
    hostile()
    scripted()
    flames()
    together()
    drawn()
    more()
    written()
    sys.exit(checks.failures != 0)
