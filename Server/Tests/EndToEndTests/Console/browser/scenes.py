"""Generated landscapes: skies, hills, water and trees as SVG. The same seed gives the same landscape."""

from math import pi, sin
from random import Random


def scene(seed, width, height, *, sky, far, near, sun=None, water=False, trees=False, stars=False, blossom=None):
    """`sky` is colours from top to horizon; hills go from `far` to `near`; `sun` is (x, y, radius, colour) as fractions of the picture."""
    chance = Random(seed)
    horizon = height * (0.56 if water else 0.5)
    parts = [gradient("sky", sky), '<filter id="soft"><feGaussianBlur stdDeviation="2.2"/></filter>',
             '<filter id="glow" x="-100%" y="-100%" width="300%" height="300%"><feGaussianBlur stdDeviation="38"/></filter>',
             '<filter id="grain"><feTurbulence type="fractalNoise" baseFrequency="0.8" numOctaves="2" seed="4"/>'
             '<feColorMatrix values="0 0 0 0 0.5 0 0 0 0 0.5 0 0 0 0 0.5 0.5 0 0 0 -0.13"/></filter>']
    body = [f'<rect width="{width}" height="{height}" fill="url(#sky)"/>']
    if stars:
        body += [f'<circle cx="{chance.random() * width:.0f}" cy="{chance.random() ** 1.6 * horizon:.0f}" r="{0.6 + chance.random() * 1.3:.1f}"'
                 f' fill="#fff" opacity="{0.35 + chance.random() * 0.6:.2f}"/>' for _ in range(150)]
    if sun:
        x, y, radius, colour = sun
        x, y, radius = x * width, y * height, radius * height
        body += [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius * 2.1:.0f}" fill="{colour}" opacity="0.55" filter="url(#glow)"/>',
                 f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius:.0f}" fill="{colour}" filter="url(#soft)"/>']
    for _ in range(3):
        body.append(cloud(chance, width, horizon))
    count = 5
    for layer in range(count):
        share = layer / (count - 1)
        base = horizon - height * 0.05 + (height * (0.10 if water else 0.42)) * share
        rise = height * (0.16 - 0.07 * share) * (0.7 if water else 1)
        body.append(f'<path d="{ridge(chance, width, height, base, rise)}" fill="{blend(far, near, share * (0.6 if water else 1))}"'
                    f'{" filter=" + chr(34) + "url(#soft)" + chr(34) if share < 0.4 else ""}/>')
        if trees and share > 0.4:
            body += forest(chance, width, base - rise * 0.4, height * (0.05 + 0.09 * share), blend(far, near, min(1, share + 0.12)), int(34 - 16 * share))
    if water:
        shore = horizon + height * 0.06
        parts.append(gradient("water", [blend(sky[-1], near, 0.12), blend(sky[0], near, 0.45)]))
        body.append(f'<rect y="{shore:.0f}" width="{width}" height="{height - shore:.0f}" fill="url(#water)"/>')
        for _ in range(70):
            depth = chance.random()
            y = shore + depth ** 1.5 * (height - shore)
            length = (0.02 + 0.16 * depth) * width * (0.4 + chance.random())
            middle = (sun[0] * width + chance.gauss(0, 0.05 + 0.11 * depth) * width) if sun and chance.random() < 0.6 else chance.random() * width
            body.append(f'<rect x="{middle - length / 2:.0f}" y="{y:.1f}" width="{length:.0f}" height="{1 + 2.4 * depth:.1f}" rx="2"'
                        f' fill="{sun[3] if sun else "#fff"}" opacity="{0.10 + 0.30 * chance.random():.2f}"/>')
    if blossom:
        for _ in range(420):
            depth = chance.random()
            y = height * (0.72 + 0.28 * depth)
            body.append(f'<circle cx="{chance.random() * width:.0f}" cy="{y:.0f}" r="{1.5 + 7 * depth ** 2:.1f}" fill="{chance.choice(blossom)}" opacity="{0.55 + 0.4 * depth:.2f}"/>')
    body.append(f'<rect width="{width}" height="{height}" filter="url(#grain)" opacity="0.16"/>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
            f'<defs>{"".join(parts)}</defs>{"".join(body)}</svg>')


def portrait(back, skin, hair, shirt, is_long):
    """A head and shoulders before a plain background, 480 × 480."""
    locks = "M150 250C130 90 350 90 330 250L345 400H135Z" if is_long else "M152 215C140 95 340 95 328 215L318 190C300 150 190 150 162 190Z"
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="480" height="480" viewBox="0 0 480 480"><rect width="480" height="480" fill="{back}"/>'
            f'<circle cx="380" cy="110" r="160" fill="#fff" opacity="0.13"/>{f"<path d={chr(34)}{locks}{chr(34)} fill={chr(34)}{hair}{chr(34)}/>" if is_long else ""}'
            f'<path d="M60 480C70 380 160 352 240 352S410 380 420 480Z" fill="{shirt}"/><path d="M205 300H275V360C260 385 220 385 205 360Z" fill="{skin}"/>'
            f'<ellipse cx="240" cy="235" rx="78" ry="98" fill="{skin}"/>'
            + (f'<path d="M160 225C165 130 315 130 320 225C300 170 210 165 160 225Z" fill="{hair}"/>' if is_long else f'<path d="{locks}" fill="{hair}"/>')
            + '<g fill="#33291d"><circle cx="211" cy="235" r="7"/><circle cx="269" cy="235" r="7"/></g>'
            '<path d="M212 282Q240 302 268 282" fill="none" stroke="#33291d" stroke-width="6" stroke-linecap="round"/></svg>')


# Background, skin, hair, shirt, and whether the hair is long.
portraits = {
    "Ada": ("#8fb3a4", "#eec7a6", "#6b3f23", "#2f4858", True),
    "Ben": ("#d7b98e", "#8d5a3b", "#221a16", "#6e8f5e", False),
    "Cleo": ("#a9b8d4", "#f0cfb4", "#c79a4b", "#8c4a5f", True),
    "Mira": ("#c9a5b0", "#e3b48f", "#1f1a1c", "#3c5a7a", True),
    "Jonas": ("#b7c4a1", "#f2d3bd", "#8a6a45", "#a8553f", False),
    "Leila": ("#d9c39d", "#c68e64", "#2b1d18", "#4f6d62", True),
}


def ridge(chance, width, height, base, rise):
    waves = [(chance.uniform(0.6, 1.5), chance.uniform(0, 2 * pi), 1.0), (chance.uniform(2, 4), chance.uniform(0, 2 * pi), 0.42),
             (chance.uniform(6, 11), chance.uniform(0, 2 * pi), 0.12), (chance.uniform(17, 29), chance.uniform(0, 2 * pi), 0.035)]
    points = []
    for step in range(161):
        x = step / 160
        y = base - rise * sum(size * sin(2 * pi * rate * x + phase) for rate, phase, size in waves) * 0.6
        points.append(f"{x * width:.1f},{y:.1f}")
    return f"M0,{height} L" + " ".join(points) + f" L{width},{height} Z"


def forest(chance, width, base, size, colour, count):
    trees = []
    for _ in range(count):
        x, tall = chance.random() * width, size * chance.uniform(0.55, 1.25)
        foot = base + size * chance.uniform(0.5, 1.4)
        wide = tall * 0.2
        trees.append(f'<path d="M{x:.0f},{foot - tall:.0f} l{wide * 0.55:.1f},{tall * 0.42:.1f} h-{wide * 0.2:.1f} l{wide * 0.5:.1f},{tall * 0.58:.1f}'
                     f' h-{wide * 1.7:.1f} l{wide * 0.5:.1f},-{tall * 0.58:.1f} h-{wide * 0.2:.1f} z" fill="{colour}"/>')
    return trees


def cloud(chance, width, horizon):
    x, y = chance.random() * width, horizon * chance.uniform(0.15, 0.75)
    puffs = "".join(f'<ellipse cx="{x + chance.gauss(0, 90):.0f}" cy="{y + chance.gauss(0, 7):.0f}" rx="{chance.uniform(50, 150):.0f}" ry="{chance.uniform(5, 15):.0f}"/>' for _ in range(7))
    return f'<g fill="#fff" opacity="0.16" filter="url(#soft)">{puffs}</g>'


def gradient(name, colours):
    stops = "".join(f'<stop offset="{at / (len(colours) - 1):.2f}" stop-color="{colour}"/>' for at, colour in enumerate(colours))
    return f'<linearGradient id="{name}" x1="0" y1="0" x2="0" y2="{1 if name == "water" else 0.62}">{stops}</linearGradient>'


def blend(a, b, share):
    pairs = [(int(a[at:at + 2], 16), int(b[at:at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(x + (y - x) * share):02x}" for x, y in pairs)


scenes = {
    "lake-evening": dict(width=1600, height=1100, sky=["#4a5d8f", "#c98a8a", "#f6c78e"], far="#8d7389", near="#2c2f45", sun=(0.62, 0.45, 0.05, "#ffe3a8"), water=True),
    "first-snow": dict(width=1600, height=1200, sky=["#8fb0cf", "#dfe8ee"], far="#c5d2de", near="#5d7488", trees=True),
    "meadow": dict(width=1600, height=1067, sky=["#6fb0dd", "#d9ecf3"], far="#a9c8b0", near="#5f8f43", sun=(0.2, 0.2, 0.05, "#fff6d8"), blossom=["#f7d24a", "#ffffff", "#e86f8b"]),
    "pines": dict(width=1100, height=1500, sky=["#7f9aa3", "#e9dfcd"], far="#a9b5a8", near="#24382f", trees=True, sun=(0.7, 0.3, 0.035, "#fff3d0")),
    "desert": dict(width=1600, height=1100, sky=["#3f7fb5", "#f3d9b0"], far="#dca777", near="#8a4a33", sun=(0.8, 0.25, 0.05, "#fff1cf")),
    "night-hills": dict(width=1600, height=1100, sky=["#0c1230", "#2b3a68", "#5f6f9a"], far="#2f3c63", near="#0a0f20", sun=(0.3, 0.22, 0.045, "#f2efdd"), stars=True),
    "morning-fog": dict(width=1600, height=1000, sky=["#cfd6dc", "#f4e3d3"], far="#d3d2d2", near="#6f8088", trees=True),
    "sea": dict(width=1600, height=1067, sky=["#2f86c1", "#bfe3ee"], far="#7fb3b8", near="#1d5573", sun=(0.35, 0.3, 0.045, "#fffbe8"), water=True),
    "autumn": dict(width=1300, height=1500, sky=["#9db8c6", "#f2e2c4"], far="#d8a865", near="#7c3a1d", trees=True, sun=(0.3, 0.25, 0.04, "#fff4d6")),
    "lavender": dict(width=1600, height=1100, sky=["#7aa7d8", "#f6dfd6"], far="#a99bc9", near="#5a4289", sun=(0.72, 0.38, 0.05, "#ffe9c0"), blossom=["#8d6bc4", "#b79be0", "#6c4aa3"]),
    "dusk-sea": dict(width=1200, height=1500, sky=["#33306b", "#a95d86", "#f5a56f"], far="#6b4871", near="#1d1b3c", sun=(0.5, 0.5, 0.05, "#ffd59a"), water=True),
    "green-hills": dict(width=1600, height=1067, sky=["#86bfe6", "#eaf4ee"], far="#b4d1a4", near="#3f6d3a"),
    "coast": dict(width=1600, height=1200, sky=["#88a6bd", "#e8e3da"], far="#9fb0b4", near="#3d5560", water=True, sun=(0.66, 0.4, 0.035, "#fff8e4")),
    "red-evening": dict(width=1600, height=1000, sky=["#5d3a63", "#d36b5d", "#f9c07f"], far="#a05a63", near="#2b1930", sun=(0.45, 0.5, 0.06, "#ffe0a0"), trees=True),
    "winter-lake": dict(width=1600, height=1067, sky=["#a9c2d6", "#f0ebe6"], far="#c3ced8", near="#61798c", water=True),
    "spring": dict(width=1500, height=1500, sky=["#9ccbe8", "#f3efe6"], far="#c3d8ae", near="#6e9c51", blossom=["#f6b6c8", "#fbe3ea", "#ffffff"], trees=True),
}
