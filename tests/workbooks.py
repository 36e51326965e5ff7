"""Workbooks for tests: sheets of rows by title."""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping, Sequence

import pytest


def workbook(sheets: Mapping[str, Sequence[Sequence]], hidden: Collection[str] = ()) -> bytes:
    """Return the bytes of a workbook; skip the test without openpyxl."""
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl, the extra [excel], is not installed")
    book, content = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        sheet.sheet_state = "hidden" if title in hidden else "visible"
        for row in rows:
            sheet.append(row)
    book.save(content)
    return content.getvalue()
