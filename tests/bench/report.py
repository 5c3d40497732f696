# Tables in Markdown: they read well in a terminal too.
from runs import Figures


def table(head, rows):
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines)


def with_spread(figures, name, what, form, scale=1.0):
    low, high = figures.spread(name, what)
    return f"{scale * figures.median(name, what):{form}} ({scale * low:{form}}..{scale * high:{form}})"


def programs_table(figures: Figures):
    first = next(iter(figures.runs))
    rows = []
    for name in figures.runs:
        rows.append([name, with_spread(figures, name, "wall", ".2f"), f"{figures.median(name, 'windows_per_s'):,.0f}",
                     f"{figures.median(name, 'cpu_per_million'):.2f}",
                     f"{figures.median(name, 'server_cpu_per_million'):.2f}",
                     f"{figures.median(name, 'rss_mb'):.0f}",
                     f"{figures.median(name, 'windows_per_s') / figures.median(first, 'windows_per_s'):.2f}"])
    return table(["what", "wall s", "windows/s", "client CPU s/M", "server CPU s/M", "peak MB", "speed"], rows)


def latency_table(figures: Figures):
    rows = [[name, *(with_spread(figures, name, what, ".0f") for what in ("p50", "p99", "p99_filled_in")),
             f"{figures.median(name, 'max'):.0f}"] for name in figures.runs]
    return table(["load", "p50 us", "p99 us", "p99 us, waits filled in", "max us"], rows)


def start_table(figures: Figures):
    rows = [[name, with_spread(figures, name, "wall", ".2f", 1000), with_spread(figures, name, "cpu", ".2f", 1000)]
            for name in figures.runs]
    return table(["one key", "wall ms", "CPU ms"], rows)


def section_table(name, figures):
    if not figures.runs:
        return "not measured: this ratectl has no such flag"
    return {"neighbours": latency_table, "start": start_table}.get(name, programs_table)(figures)


def goals_table(lines):
    rows = []
    for line in lines:
        value = "-" if line["value"] is None else f"{line['value']:.3g}"
        verdict = {True: "met", False: "NOT MET", None: "not measured" if line["value"] is None else ""}[line["met"]]
        rows.append([line["text"], line["bound"], value, verdict + (", second run" if line["again"] else "")])
    return table(["goal", "bound", "measured", ""], rows)
