"""The words of the pages: short sentences, the glossary, no results by hand; project files that say the same."""

import ast
import importlib
import re
import tomllib
from pathlib import Path

import pytest

import nelayout as nl

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
if not DOCS.is_dir():
    pytest.skip("the pages are not here", allow_module_level=True)

# Written by hand, for users.
PAGES = [
    *(REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md")),
    *(DOCS / name for name in ("index.md", "faq.md", "reference/glossary.md")),
    *sorted(path for folder in ("tutorial", "howto", "explain") for path in (DOCS / folder).glob("*.md")),
]
MENU = [page for page in PAGES if page.parent != REPOSITORY]
# Words that the glossary replaces, riddles, and metaphors. Each with the sentence that it spoils.
FORBIDDEN = {
    "a term that the glossary replaces": r"\b(verdicts?|host library|peers?|bends?|parted|crumbs?)\b",
    "a riddle by relative pronoun": r"\b(of which|of whom|whose|of theirs|of ours)\b",
    "a pronoun where the noun belongs": r"\b(that|those) of\b|\bthe ones? that\b",
    "somebody": r"\b(anybody|whoever|whatever)\b",
    "a condition in front": r"(^|[.] )(Of|Where|Beyond|Among) ",
    "two sentences in one": r"[a-z]; [a-z]+ (is|are|has|have|does|do)\b(?![^|]*\|)",
    "a dangling participle": r", given\b",
}
LONG, LONGEST, SHARE, MOST_WORDS = 22, 35, 0.15, 1900
DATA = r"MNIST|luxembourg|usair97|cora\b|dwt_1005|coil20|pendigits"


def prose(page: Path) -> str:
    """Return the sentences of a page: no code, tables, math, links' targets or headings."""
    text = re.sub(r"^(```|:::).*?^\1", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL)
    text = re.sub(r"^\s*(\||#|!\[|<!--|:::).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\$[^$]*\$", "x", text)
    return re.sub(r"`[^`\n]*`", "x", text)


def sentences(page: Path) -> list[str]:
    """Return the sentences; an entry of a list ends one."""
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*:]|\d+\.) )", prose(page))
    found = [s for part in parts for s in re.split(r"(?<=[.!?:])\s+", " ".join(part.split()))]
    return [s for s in found if len(s.split()) > 1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_sentences_are_short(page):
    lengths = {sentence: len(sentence.split()) for sentence in sentences(page)}
    long = [sentence for sentence, words in lengths.items() if words > LONG]
    assert [sentence for sentence, words in lengths.items() if words > LONGEST] == []
    assert len(long) <= max(1, SHARE * len(lengths)), long


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_forbidden_patterns_are_absent(page):
    text = prose(page)
    assert {kind: found.group() for kind, pattern in FORBIDDEN.items() if (found := re.search(pattern, text))} == {}


def test_results_stand_on_pages_that_a_command_writes():
    """No name of a test set, and no measured seconds or scores, on a page by hand."""
    offenders = [
        f"{page.name}: {line}"
        for page in PAGES
        for line in prose(page).splitlines()
        if re.search(rf"{DATA}|\b\d+(\.\d+)? (s|ms|seconds|times faster)\b", line)
    ]
    assert offenders == []
    for name in ("benchmarks.md", "tuning.md"):
        assert re.search(r"wrote this page on \d{4}-\d\d-\d\d at commit \w{7,}", (DOCS / name).read_text()), name


def test_pages_are_few_and_short():
    words = {page.name: len(page.read_text().split()) for page in MENU}
    assert len(MENU) <= 22
    assert {name: count for name, count in words.items() if count > MOST_WORDS} == {}
    assert sum(words.values()) <= 18_000


def test_the_front_door_is_short_and_works_everywhere():
    text = (REPOSITORY / "README.md").read_text()
    assert len(text.split()) <= 400
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert [link for link in links if not (REPOSITORY / link).exists()] == []


def test_pictures_have_a_text_and_are_light():
    for page in PAGES:
        for text, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text()):
            assert len(text.split()) >= 3, (page.name, target)
    assert [path.name for path in (DOCS / "images").iterdir() if path.stat().st_size > 200_000] == []


def test_a_picture_that_is_older_than_its_script_is_named(monkeypatch):
    """A build of the documentation warns of what `stale` returns, and warnings end it."""
    pytest.importorskip("PIL")
    monkeypatch.syspath_prepend(str(DOCS))
    pictures = importlib.import_module("pictures")
    assert pictures.stale() == []
    found = pictures.scripts()
    code, source = found["counties"]
    monkeypatch.setattr(pictures, "scripts", lambda: {**found, "counties": (code + "# new\n", source)})
    assert pictures.stale() == [
        "images/counties.png is older than its script, examples/gallery/plot_counties.py. Run python docs/pictures.py."
    ]


def test_each_public_name_has_one_topic(monkeypatch):
    """The sidebar lists topics; a name of a package within nelayout stands there with its package."""
    monkeypatch.syspath_prepend(str(DOCS))
    names = " ".join(importlib.import_module("generate").TOPICS.values()).split()
    assert len(set(names)) == len(names)
    assert {name.split(".")[0] for name in names} - {"plugins", "graphs"} == set(vars(nl)["__all__"])


@pytest.mark.parametrize("page", sorted((DOCS / "tutorial").glob("*.md")), ids=lambda page: page.name)
def test_tutorials_show_what_each_block_gives(page):
    blocks = re.findall(r"^```(?:python|sh)\n.*?^```\n\n(\S+)", page.read_text(), re.MULTILINE | re.DOTALL)
    shown = [after for after in blocks if after.startswith(("```text", "!["))]
    assert len(shown) >= len(blocks) - 1  # the commands of a shell come last, with a sentence


def texts_of(node: ast.AST) -> list[str]:
    """Return the strings within a node of more than three words, with `...` for what is filled in."""
    if isinstance(node, ast.JoinedStr):
        text = "...".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        return [text] if len(text.split()) > 3 else []
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) and len(node.value.split()) > 3 else []
    return [text for child in ast.iter_child_nodes(node) for text in texts_of(child)]


def notes_of_the_source() -> set[str]:
    """Return the texts of warnings and of notes: arguments of `warn` and of `notes.append`, values of `note`."""
    found = set()
    for path in sorted((REPOSITORY / "nelayout").rglob("*.py")):
        if path.parts[-2] in ("comparison", "cli", "record"):
            continue  # sentences of a verdict and of reprs, which are no notes of a run
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                if name == "warn" or name.endswith(("notes.append", "notes.extend")):
                    found.update(texts_of(node))
            elif isinstance(node, ast.Assign) and re.fullmatch(r"(\w+\.)?notes?", ast.unparse(node.targets[0])):
                found.update(texts_of(node.value))
    return found


def test_every_note_has_an_entry():
    page = (DOCS / "faq.md").read_text().partition("## Notes of a layout")[2]
    phrases = re.findall(r"`([^`]+)`", "\n".join(re.findall(r"^`.*`$", page, re.MULTILINE)))
    known = [piece.strip() for phrase in phrases for piece in phrase.split("...")]
    assert len(known) > 40
    assert [note for note in notes_of_the_source() if not any(piece in note for piece in known)] == []


def test_project_files_agree():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    citation = (REPOSITORY / "CITATION.cff").read_text()
    assert {"Homepage", "Documentation", "Changelog", "Issues"} <= project["urls"].keys()
    assert f"license: {project['license']}" in citation
    assert f"repository-code: {project['urls']['Homepage']}" in citation
    changes = (REPOSITORY / "CHANGELOG.md").read_text()
    assert re.findall(r"^### (\w+)$", changes, re.MULTILINE)[:3] == ["Added", "Changed", "Fixed"]
    assert max(len(line) for line in changes.splitlines()) <= 120


def test_contributing_names_files_that_exist():
    """Paths in the table of where something new goes."""
    page = (REPOSITORY / "CONTRIBUTING.md").read_text()
    text = page.partition("## Where something new goes")[2].partition("\n## ")[0]
    paths = set(re.findall(r"`([\w./]+/[\w./]*)`", text)) - {"examples/gallery/plot_NAME.py"}
    assert len(paths) > 20
    assert [p for p in paths if not ((REPOSITORY / p).exists() or (REPOSITORY / "nelayout" / p).exists())] == []
    for table, file in re.findall(r"`([A-Z_]+)`(?: of| in)? `([\w./]+\.py)`", text):
        path = next(p for p in (REPOSITORY / file, REPOSITORY / "nelayout" / file) if p.exists())
        assert re.search(rf"^{table}\b", path.read_text(), re.MULTILINE), (table, file)
