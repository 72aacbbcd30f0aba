"""How the documents are built: MyST Markdown as the source, and pages made from the code beside it."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "shoed"
author = "The shoed authors"
release = version = installed_version("shoed")
extensions = ["myst_parser", "pages_from_code"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "_generated"]
html_theme = "furo"
html_title = f"shoed {release}"
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "deflist"]
nitpicky = True
