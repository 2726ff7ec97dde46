#!/usr/bin/env python3
"""Finds folders of one module that refer to each other in a cycle: scripts/folder-cycles.py [MODULE FOLDER ...]

A folder refers to another when one of its files names a type that a file of the other declares at its top level. Swift compiles a
module as a whole, so nothing else keeps its folders in layers. Comments and texts do not count. Without arguments it looks at every
module of the server.
"""

import glob
import os
import re
import sys

DECLARATION = re.compile(
    r"^([ \t]*)(?:@\w+(?:\([^)\n]*\))?\s+)*((?:\w+(?:\(\w+\))?\s+)*?)(?:struct|class|enum|actor|protocol|typealias)[ \t]+(\w+)", re.M)
TEXTS = re.compile(r'/\*.*?\*/|"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*', re.S)
NAME = re.compile(r"(?<![.\w])[A-Z]\w*")
GENERIC = re.compile(r"\b(?:func|init|struct|class|enum|actor|typealias|subscript)\b[^\n({=<]*<([^{(\n]*)>")


def references(module):
    """{folder: {other folder: (file, type, declaring file)}}"""
    texts, owners, own = {}, {}, {}
    for path in glob.glob(os.path.join(glob.escape(module), "**", "*.swift"), recursive=True):
        with open(path, encoding="utf-8") as file:
            text = TEXTS.sub(" ", file.read())
        path = os.path.relpath(path, module)
        texts[path] = text
        # A nested type or a generic parameter may have the name of some other file's type.
        own[path] = set(re.findall(r"\w+", " ".join(GENERIC.findall(text))))
        for indent, modifiers, name in DECLARATION.findall(text):
            own[path].add(name)
            if not indent and "private" not in modifiers:
                owners[name] = path
    edges = {}
    for path, text in sorted(texts.items()):
        folder = os.path.dirname(path)
        for name in sorted(set(NAME.findall(text)) - own[path]):
            owner = owners.get(name)
            if owner and os.path.dirname(owner) != folder:
                edges.setdefault(folder, {}).setdefault(os.path.dirname(owner), (path, name, owner))
    return edges


def cycle(edges):
    """The folders of one shortest cycle in order; None when there is none."""
    shortest = None
    for start in sorted(edges):
        ways, seen = [[start]], {start}
        while ways:
            way = ways.pop(0)
            for target in sorted(edges.get(way[-1], {})):
                if target == start:
                    if shortest is None or len(way) < len(shortest):
                        shortest = way
                    ways = []
                    break
                if target not in seen:
                    seen.add(target)
                    ways.append(way + [target])
    return shortest


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    modules = sys.argv[1:] or sorted(
        module for kind in ("Apps", "Console", "Features", "Platform") for module in glob.glob(os.path.join(root, "Server", kind, "*")))
    failed = False
    for module in modules:
        edges = references(module)
        found = cycle(edges)
        if not found:
            continue
        failed = True
        print(f"{os.path.relpath(module, root)}: these folders refer to each other in a cycle. "
              "Move a type into a lower folder, or pass it what it needs.", file=sys.stderr)
        for folder, target in zip(found, found[1:] + found[:1]):
            path, name, owner = edges[folder][target]
            print(f"  {folder or '.'} -> {target or '.'}: {path} uses {name} of {owner}", file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
