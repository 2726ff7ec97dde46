#!/usr/bin/env python3
"""Generates 12-megapixel JPEGs with the statistics of photographs.

Each picture is a "dead leaves" image (Lee, Mumford, Huang, 2001): overlapping discs whose radii follow a power law,
like objects in front of a camera. That gives edges at every scale and a 1/f spectrum. Each disc is shaded and has its own texture of
1/f noise; a quarter of the pictures have a sky. Lens blur and sensor noise are added. The same seed gives the same pixels.

    corpus.py FOLDER [COUNT]      writes 00.jpg, 01.jpg, … (default 40); existing files are kept
"""

import sys
from multiprocessing import Pool
from pathlib import Path

import numpy
from PIL import Image
from scipy.ndimage import gaussian_filter

WIDTH, HEIGHT = 4000, 3000


def noise_tile(random, side=1024, slope=1.0):
    """Makes 1/f noise that repeats at its edges, with mean 0 and deviation 1."""
    frequency = numpy.hypot(numpy.fft.fftfreq(side)[:, None], numpy.fft.rfftfreq(side)[None, :])
    frequency[0, 0] = 1
    spectrum = numpy.fft.rfft2(random.standard_normal((side, side))) / frequency**slope
    spectrum[0, 0] = 0
    tile = numpy.fft.irfft2(spectrum, s=(side, side))
    return (tile / tile.std()).astype(numpy.float32)


def leaf(random, picture, tiles, radius):
    x, y = random.uniform(-radius / 2, WIDTH + radius / 2), random.uniform(-radius / 2, HEIGHT + radius / 2)
    left, right = max(0, int(x - radius)), min(WIDTH, int(x + radius) + 1)
    top, bottom = max(0, int(y - radius)), min(HEIGHT, int(y + radius) + 1)
    if left >= right or top >= bottom:
        return
    across = (numpy.arange(left, right, dtype=numpy.float32) - x) / radius
    down = (numpy.arange(top, bottom, dtype=numpy.float32) - y) / radius
    inside = across[None, :] ** 2 + down[:, None] ** 2 < 1
    lightness = random.uniform(20, 225)
    colour = lightness + random.normal(0, 22, 3)
    tile = tiles[random.integers(len(tiles))]
    shift_x, shift_y = random.integers(tile.shape[1]), random.integers(tile.shape[0])
    texture = tile[(numpy.arange(top, bottom) + shift_y)[:, None] % tile.shape[0], (numpy.arange(left, right) + shift_x)[None, :] % tile.shape[1]]
    # Many surfaces are smooth, some are rough like grass.
    shade = texture * random.choice([1, 3, 8, 16], p=[0.35, 0.3, 0.25, 0.1])
    shade += (across[None, :] * random.normal(0, 18) + down[:, None] * random.normal(0, 18))
    picture[top:bottom, left:right][inside] = (shade[..., None] + colour.astype(numpy.float32))[inside]


def make(job):
    number, path = job
    random = numpy.random.default_rng(1000 + number)
    tiles = [noise_tile(random, slope=slope) for slope in (0.8, 1.0, 1.2, 1.5)]
    picture = numpy.zeros((HEIGHT, WIDTH, 3), numpy.float32)
    smallest, largest, count = 6.0, 1400.0, 6000
    # The density of radii falls with their cube, as the density of objects in natural scenes does.
    chance = random.random(count)
    radii = (smallest**-2 - chance * (smallest**-2 - largest**-2)) ** -0.5
    for radius in [1800.0] * 6 + list(random.uniform(300, 900, 60)):
        leaf(random, picture, tiles, radius)
    for radius in radii:
        leaf(random, picture, tiles, radius)
    if number % 4 == 0:
        horizon = HEIGHT // 2 + random.integers(-400, 400)
        ramp = numpy.linspace(0, 1, horizon, dtype=numpy.float32)[:, None, None]
        picture[:horizon] = numpy.array([90, 140, 215], numpy.float32) * (1 - ramp) + numpy.array([215, 225, 235], numpy.float32) * ramp
    picture = gaussian_filter(picture, (0.9, 0.9, 0))
    # Sensor noise, smoothed as a camera's software does.
    sensor = gaussian_filter(random.standard_normal(picture.shape, dtype=numpy.float32), (0.7, 0.7, 0))
    picture += sensor * (random.uniform(1.5, 5) / sensor.std())
    numpy.clip(picture, 0, 255, out=picture)
    image = Image.fromarray(picture.astype(numpy.uint8))
    image.save(path, quality=int(random.integers(85, 94)), subsampling="4:2:0")
    return path


def main():
    folder, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 40
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [(number, folder / f"{number:02}.jpg") for number in range(count)]
    missing = [(number, path) for number, path in wanted if not path.exists()]
    with Pool(2) as pool:
        for done, path in enumerate(pool.imap_unordered(make, missing), 1):
            print(f"\r· picture {done}/{len(missing)}", end="", file=sys.stderr, flush=True)
    if missing:
        print(file=sys.stderr)


if __name__ == "__main__":
    main()
