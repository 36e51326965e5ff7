"""A page as tests read it: the data out of its script element, as a browser finds it."""

import base64
import json
from html.parser import HTMLParser

import numpy as np


class Reader(HTMLParser):
    """Elements with their attributes, and the text of each script."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self.texts, self.inside = [], [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1] += data
        else:
            self.texts.append(data)


def unpacked(held):
    """The array of a page, in one dimension."""
    return np.frombuffer(base64.b64decode(held["data"]), dtype=f"<{held['type']}")


def data_of(text):
    """The data of a page, its arrays as arrays."""
    data = json.loads(Reader(text).scripts[0])
    for held in (data, *data["drawings"], *data["columns"]):
        for name, value in held.items():
            if isinstance(value, dict):
                held[name] = unpacked(value)
    return data
