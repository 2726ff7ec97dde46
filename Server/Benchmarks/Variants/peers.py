"""Runs thumbor's engine in a process of its own, with the line protocol of variant-bench.

It runs without thumbor's HTTP server, which is to thumbor's advantage: only the processing of a file's bytes is timed. Two settings are
changed so that its output is comparable: baseline JPEG (its default is progressive) and WebP's effort 2 (thumbor has no option for it, and
Pillow's default is 4).
"""

import sys
import time
from pathlib import Path

from PIL import Image
from thumbor.config import Config
from thumbor.engines.pil import Engine

WIDTH, HEIGHT, QUALITY, EFFORT = 300, 300, 80, 2


class Context:
    def __init__(self):
        self.config = Config()
        self.config.PROGRESSIVE_JPEG = False


def set_effort():
    save = Image.Image.save

    def with_effort(image, target, format=None, **options):
        if format == "WEBP":
            options["method"] = EFFORT
        return save(image, target, format, **options)

    Image.Image.save = with_effort


def variant(context, data, extension):
    engine = Engine(context)
    engine.extension = ".jpg"
    engine.image = engine.create_image(data)
    # This is the same computation as in thumbor's transformer for fit-in.
    width, height = engine.size
    scale = max(width / WIDTH, height / HEIGHT)
    engine.resize(round(width / scale), round(height / scale))
    return engine.read(extension, QUALITY)


def main():
    set_effort()
    context, files = Context(), [Path(name) for name in sys.argv[1:]]
    for line in sys.stdin:
        name, folder = line.split(maxsplit=1)
        extension = {"jpeg": ".jpg", "webp": ".webp"}[name]
        begun = time.monotonic()
        for file in files:
            data = variant(context, file.read_bytes(), extension)
            (Path(folder.strip()) / f"{file.stem}.{name}").write_bytes(data)
        print(time.monotonic() - begun, flush=True)


if __name__ == "__main__":
    main()
