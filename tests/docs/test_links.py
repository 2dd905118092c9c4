"""What the pages point to is there: files, headings, commands and their options."""

import argparse
import re

from tests.docs.pages import LINKED, PAGES, ROOT, anchors_of, links_of, read
from tests.each import each
from trueness.terminal.options import command_line

COMMANDS = next(a for a in command_line()._actions if isinstance(a, argparse._SubParsersAction)).choices


@each("page", LINKED)
def test_every_link_leads_to_a_file_and_a_heading(page):
    here = (ROOT / page).parent
    for link in links_of(page):
        path, _, anchor = link.partition("#")
        target = (here / path).resolve() if path else ROOT / page
        assert target.exists(), f"{page}: {link}"
        assert ROOT in (target, *target.parents), f"{page}: {link} leads out of the repository"
        if anchor:
            assert anchor in anchors_of(str(target.relative_to(ROOT))), f"{page}: {link}"


@each("page", [page for page in PAGES if page.startswith("docs/") and page != "docs/index.md"])
def test_every_page_leads_back_to_the_index(page):
    index = "../" * (page.count("/") - 1) + "index.md"
    assert index in links_of(page), f"{page}: end it with [All pages]({index})"


@each("page", LINKED)
def test_every_command_and_option_that_a_page_names_exists(page):
    for command, rest in re.findall(r"(?:^|[`$] ?|\| )trueness ([a-z][\w-]*)([^`|\n]*)", read(page), re.MULTILINE):
        assert command in COMMANDS, f"{page}: trueness {command}"
        known = COMMANDS[command]._option_string_actions
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", rest.split("#")[0]):
            assert option in known, f"{page}: trueness {command} {option}"
