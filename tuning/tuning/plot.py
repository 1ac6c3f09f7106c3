"""Small pictures: lines with error bars; the same bytes for the same figures."""

import io
import math
from collections.abc import Mapping, Sequence
from html import escape

from tuning.errors import INSTALL, reading

Point = tuple[float, float, float]
"""x, y, and half of the interval of y (0 for none)."""

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 560, 300, 56, 30, 44
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e")


def plot(
    title: str,
    across: str,
    up: str,
    lines: Mapping[str, Sequence[Point]],
    names: Sequence[str] = (),
    logarithmic: bool = False,
) -> str:
    """Return a picture of lines; `names` label the values 0, 1, ... of a horizontal axis without numbers."""
    points = [point for line in lines.values() for point in line]
    xs = [math.log2(x) if logarithmic else x for x, _, _ in points] or [0.0, 1.0]
    low, high = min([y - e for _, y, e in points] + [0.0]), max([y + e for _, y, e in points] + [0.0])
    step = _step(high - low)
    low, high = step * math.floor(low / step), step * max(math.ceil(high / step), math.floor(low / step) + 1)
    first, last = min(xs), max(max(xs), min(xs) + 1e-9)

    def place(x: float, y: float) -> tuple[float, float]:
        x = math.log2(x) if logarithmic else x
        across = LEFT + 20 + (WIDTH - LEFT - 40) * (x - first) / (last - first)
        height = (HEIGHT - TOP - BOTTOM) * (y - low) / (high - low)
        return round(across, 1), round(HEIGHT - BOTTOM - height, 1)

    text = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        _text(WIDTH / 2, 16, title, "middle"),
        _text(WIDTH / 2, HEIGHT - 6, across, "middle"),
        _text(12, TOP - 8, up, "start"),
    ]
    for number in range(round((high - low) / step) + 1):
        y = low + number * step
        height = place(points[0][0] if points else 1.0, y)[1]
        text.append(f'<path d="M{LEFT} {height}H{WIDTH - 8}" stroke="{"#888" if y == 0 else "#ddd"}"/>')
        text.append(_text(LEFT - 6, height + 4, f"{y:g}", "end"))
    ticks = dict(enumerate(names)) if names else {x: f"{x:g}" for x, _, _ in points}
    text += [_text(place(x, low)[0], HEIGHT - BOTTOM + 16, name, "middle") for x, name in ticks.items()]
    for number, (name, line) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        places = [place(x, y) for x, y, _ in line]
        path = "L".join(f"{x} {y}" for x, y in places)
        text.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>' if places else "")
        for (x, y, error), (across_at, _) in zip(line, places, strict=True):
            bar = f"M{across_at} {place(x, y - error)[1]}V{place(x, y + error)[1]}"
            dot = f"M{across_at - 2} {place(x, y)[1]}h4"
            text.append(f'<path d="{bar}{dot}" stroke="{colour}" stroke-width="2"/>')
        if len(lines) > 1:
            text.append(_text(LEFT + 8, TOP + 12 + 14 * number, name, "start", colour))
    return "\n".join([line for line in text if line] + ["</svg>\n"])


def plot_for_print(
    form: str, title: str, across: str, up: str, lines: Mapping[str, Sequence[Point]]
) -> bytes:
    """Return the picture with a logarithmic axis as a file of matplotlib's, `form` being pdf or png."""
    expected = f"matplotlib beside the other packages: {INSTALL}package/requirements.lock"
    with reading(f"a picture as {form}", expected, ImportError):
        from matplotlib.figure import Figure
    figure = Figure(figsize=(WIDTH / 100, HEIGHT / 100), layout="constrained")
    axes = figure.subplots()
    for name, points in lines.items():
        # A line whose matches were all won or lost has no point.
        xs, ys, errors = zip(*points, strict=True) if points else ((), (), ())
        axes.errorbar(xs, ys, yerr=errors, label=name, capsize=2)
    axes.set_xscale("log", base=2)
    ticks = sorted({x for points in lines.values() for x, _, _ in points})
    axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
    axes.set(title=title, xlabel=across, ylabel=up)
    axes.legend()
    file = io.BytesIO()
    # The date of a PDF would make its bytes new each time.
    figure.savefig(file, format=form, dpi=200, metadata={"CreationDate": None} if form == "pdf" else None)
    return file.getvalue()


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#222") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _step(reach: float) -> float:
    """Return a round step that divides a range into some five parts."""
    rough = max(reach, 1e-9) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
