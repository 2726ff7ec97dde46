"""Measures how similar a small copy is to the best possible reduction of its picture."""

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy
from PIL import Image
from skimage.metrics import structural_similarity

# The weights of Rec. 601 luma. JPEG and WebP store luma in full resolution.
LUMA = numpy.array([0.299, 0.587, 0.114])


def reference(picture, size):
    """Returns the fully decoded picture, reduced by a Lanczos filter and not encoded again."""
    with Image.open(picture) as image:
        return numpy.asarray(image.convert("RGB").resize(size, Image.Resampling.LANCZOS), dtype=numpy.float64)


def ssim(one, other):
    """Returns the SSIM of Wang, Bovik, Sheikh, Simoncelli (2004), with a Gaussian window of 11 and sigma 1.5; 1 means equal."""
    return structural_similarity(one, other, data_range=255, gaussian_weights=True, sigma=1.5, use_sample_covariance=False, channel_axis=-1)


def _of_one(job):
    picture, copies = job
    found, best = {}, None
    for label, copy in copies.items():
        with Image.open(copy) as image:
            pixels = numpy.asarray(image.convert("RGB"), dtype=numpy.float64)
        if best is None:
            best = reference(picture, (pixels.shape[1], pixels.shape[0]))
        if best.shape != pixels.shape:
            raise ValueError(f"{copy} has another size than the other copies")
        found[label] = {
            "luma": ssim((pixels @ LUMA)[..., None], (best @ LUMA)[..., None]), "rgb": ssim(pixels, best),
            "bytes": Path(copy).stat().st_size,
        }
    return found


def compare(pictures, folders, format):
    """`folders`: label → folder with a copy of each picture. Returns label → {"luma": [...], "rgb": [...], "bytes": [...]}."""
    jobs = [(picture, {label: folder / f"{picture.stem}.{format}" for label, folder in folders.items()}) for picture in pictures]
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(_of_one, jobs))
    return {label: {key: [one[label][key] for one in found] for key in ("luma", "rgb", "bytes")} for label in folders}
