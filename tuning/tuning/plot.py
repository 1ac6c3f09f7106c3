"""Pictures of results, drawn by matplotlib: the same bytes for the same figures."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Point = tuple[float, float, float]
"""x, y, and half of the interval of y (0 for none)."""

FORMS = ("svg", "pdf", "png")


@dataclass(frozen=True)
class Picture:
    """Lines of points with error bars."""

    title: str
    across: str
    up: str
    lines: Mapping[str, Sequence[Point]]
    names: Sequence[str] = ()
    """The labels of the values 0, 1, ... of a horizontal axis without numbers."""
    logarithmic: bool = False
    joined: bool = True
    """True if a line joins the points."""

    def drawn(self, form: str) -> bytes:
        """Return the picture as a file of one of `FORMS`."""
        import matplotlib
        from matplotlib.figure import Figure

        # Many names stand upright below the axis.
        upright = max(map(len, self.names), default=0) if len(self.names) > 5 else 0
        figure = Figure(figsize=(5.6, 3 + 0.08 * upright), layout="constrained")
        axes = figure.subplots()
        for name, points in self.lines.items():
            # A line whose matches were all won or lost has no point.
            xs, ys, errors = zip(*points, strict=True) if points else ((), (), ())
            axes.errorbar(xs, ys, yerr=errors, label=name, capsize=2, fmt=".-" if self.joined else ".")
        if self.logarithmic:
            axes.set_xscale("log", base=2)
        ticks = sorted({x for points in self.lines.values() for x, _, _ in points})
        if self.names:
            axes.set_xticks(range(len(self.names)), self.names, rotation=90 if upright else 0)
        elif len(ticks) <= 10:
            axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
        axes.minorticks_off()
        axes.axhline(0, color="#888", linewidth=0.8)
        axes.set(title=self.title, xlabel=self.across, ylabel=self.up)
        if len(self.lines) > 1:
            axes.legend()
        file = io.BytesIO()
        # A date or a random name of an element would make the bytes new each time.
        date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
        with matplotlib.rc_context({"svg.hashsalt": "quiver", "svg.fonttype": "none"}):
            figure.savefig(file, format=form, dpi=200, metadata=date)
        return file.getvalue()
