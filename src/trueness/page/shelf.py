"""The page in front of several studies, and of one that cannot be shown: names, folders, what is wrong. No script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from trueness.page.page import style
from trueness.texts import html_text


def shelf_of(studies: Sequence[Mapping[str, str]]) -> str:
    entries = "".join(_entry(study) for study in studies)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        'content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title>Studies · trueness</title>'
        f"<style>{style()}</style></head><body><main><h1>Studies</h1>"
        f'<ul class="studies">{entries}</ul></main></body></html>\n'
    )


def _entry(study: Mapping[str, str]) -> str:
    name, folder = html_text(study["name"]), html_text(study["folder"])
    if study["problem"]:
        notice = f'<p class="notice">{html_text(study["problem"])}</p>'
        return f'<li class="card"><h3>{name}</h3><p class="quiet small">{folder}</p>{notice}</li>'
    link = f'<a href="{quote(study["name"], safe="")}/">{name}</a>'
    return f'<li class="card"><h3>{link}</h3><p class="quiet small">{folder}</p></li>'
