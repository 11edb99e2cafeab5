"""Makes an environment independent of the folder it was built in: `python relocate.py <environment> <project>`.

Scripts contain the path of their interpreter, and editable packages the paths of their sources.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

_RELATIVE_SHEBANG = """#!/bin/sh
'''exec' "$(dirname -- "$(realpath -- "$0")")/python" "$0" "$@"
' '''
"""


def relocate(environment: Path, project: Path) -> None:
    for script in (environment / "bin").iterdir():
        if script.is_file() and not script.is_symlink():
            _free_script(script)
    for packages in environment.glob("lib/python3*/site-packages"):
        for file in packages.glob("*.pth"):
            _free_path_file(file, project)
        for pattern in ("__editable__*.py", "_editable*.py"):
            for file in packages.glob(pattern):
                _free_finder(file, project)


def _free_script(script: Path) -> None:
    content = script.read_bytes()
    first, newline, rest = content.partition(b"\n")
    if newline and re.fullmatch(rb"#!/\S*/python[\d.]*", first):
        script.write_bytes(_RELATIVE_SHEBANG.encode() + rest)


def _free_path_file(file: Path, project: Path) -> None:
    """Python resolves relative lines of a .pth file against the file's folder."""
    lines = file.read_text().splitlines()
    freed = [os.path.relpath(line, file.parent) if _is_within(line, project) else line for line in lines]
    if freed != lines:
        file.write_text("\n".join(freed) + "\n")


def _free_finder(file: Path, project: Path) -> None:
    """An editable package whose folders are mapped to other names has a finder module with their paths."""
    text = file.read_text()

    def relative(match: re.Match[str]) -> str:
        path = os.path.join("..", os.path.relpath(match[2], file.parent))
        return f"__import__('os').path.normpath(__import__('os').path.join(__file__, {path!r}))"

    freed = re.sub(rf"""(['"])({re.escape(str(project))}(?:/[^'"\n]*)?)\1""", relative, text)
    if freed != text:
        file.write_text(freed)


def _is_within(line: str, project: Path) -> bool:
    return line == str(project) or line.startswith(f"{project}/")


if __name__ == "__main__":
    relocate(Path(os.path.abspath(sys.argv[1])), Path(os.path.abspath(sys.argv[2])))
