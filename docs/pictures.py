"""The pictures of the pages: `python docs/pictures.py` draws each one whose script has changed; `--all` draws all.

A page shows `images/NAME.png`. If the page's own code writes `NAME.png`, this code is the script of the picture, from
the first block of the page to the block that writes it. Otherwise the script is `examples/gallery/plot_NAME.py`. Each
picture carries the hash of its script, so that a build of the documentation can name the stale ones.
"""

import hashlib
import os
import re
import runpy
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT, IMAGES, GALLERY = DOCS.parent, DOCS / "images", DOCS.parent / "examples" / "gallery"
PAGES = [ROOT / "README.md", *sorted(page for page in DOCS.rglob("*.md") if "research" not in page.parts)]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"images/([\w-]+)\.png")
MAX_WIDTH = 1400  # pixels


def code_for(name: str, page: Path) -> str | None:
    """Return the code of a page up to the block that writes the picture; None if no block does."""
    blocks = BLOCK.findall(page.read_text())
    last = next((k for k, block in enumerate(blocks) if f'"{name}.png"' in block), None)
    return None if last is None else "".join(blocks[: last + 1])


def scripts() -> dict[str, tuple[str, Path]]:
    """Return {name of a picture: (its script, the file that holds the script)}."""
    found = {}
    for page in PAGES:
        for name in SHOWN.findall(page.read_text()):
            script = GALLERY / f"plot_{name}.py"
            code = code_for(name, page)
            if code is not None:
                found[name] = code, page
            elif script.is_file():
                found.setdefault(name, (script.read_text(), script))
            else:
                found.setdefault(name, ("", page))
    return found


def digest(code: str) -> str:
    """Return the hash of a script."""
    return hashlib.sha256(code.encode()).hexdigest()


def kept(path: Path) -> str | None:
    """Return the hash that a picture carries."""
    from PIL import Image

    with Image.open(path) as image:
        return image.info.get("script")


def stale() -> list[str]:
    """Return a sentence for each picture that is missing, older than its script, or shown by no page."""
    found, messages = scripts(), []
    for name, (code, source) in found.items():
        path, where = IMAGES / f"{name}.png", source.relative_to(ROOT)
        if not code:
            messages.append(f"{where} shows images/{name}.png, and neither its code nor the gallery draws this picture")
        elif not path.is_file():
            messages.append(f"images/{name}.png is missing. Run python docs/pictures.py.")
        elif kept(path) != digest(code):
            messages.append(f"images/{name}.png is older than its script, {where}. Run python docs/pictures.py.")
    messages += [f"no page shows images/{path.name}" for path in sorted(IMAGES.glob("*.png")) if path.stem not in found]
    return messages


def draw(name: str, code: str, source: Path) -> None:
    """Run a script in a process of its own; keep the picture, reduced to 256 colors, with the hash."""
    from PIL import Image, PngImagePlugin

    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / f"{name}.png"
        folder_of_run = GALLERY if source.parent == GALLERY else folder
        script = Path(folder) / "script.py"
        script.write_text(code)
        command = [sys.executable, __file__, "--run", str(script), "" if source.parent != GALLERY else str(picture)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
        subprocess.run(command, cwd=folder_of_run, env=environment, check=True)
        image = Image.open(picture).convert("RGB")
        if image.width > MAX_WIDTH:
            image = image.resize((MAX_WIDTH, round(image.height * MAX_WIDTH / image.width)), Image.Resampling.LANCZOS)
        info = PngImagePlugin.PngInfo()
        info.add_text("script", digest(code))
        image.quantize(256, dither=Image.Dither.NONE).save(IMAGES / f"{name}.png", pnginfo=info, optimize=True)
    print(f"images/{name}.png from {source.relative_to(ROOT)}")


def main(arguments: list[str]) -> None:
    """Draw the pictures whose scripts have changed."""
    if arguments[:1] == ["--run"]:
        warnings.simplefilter("ignore")
        runpy.run_path(arguments[1], run_name="__main__")
        if arguments[2]:
            import matplotlib.pyplot as plt

            plt.gcf().savefig(arguments[2], dpi=MAX_WIDTH / plt.gcf().get_figwidth())
        return
    IMAGES.mkdir(exist_ok=True)
    old = "\n".join(stale())
    for name, (code, source) in scripts().items():
        if code and ("--all" in arguments or f"images/{name}.png" in old):
            draw(name, code, source)


if __name__ == "__main__":
    main(sys.argv[1:])
