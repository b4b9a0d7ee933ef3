"""Draws pictures for pages that are light or dark: text and lines take their colours from the reader's browser."""
from html import escape

STYLE = """text { font: 11px sans-serif; fill: #24292f }
.small { font-size: 9.5px } .title { font-size: 13px; font-weight: bold } .faint { fill: #656d76 }
.line { stroke: #8c959f } .roof { stroke: #24292f; stroke-width: 2 } .grid { stroke: #d0d7de }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .faint { fill: #9198a1 } .roof { stroke: #e6edf3 } .line { stroke: #7d8590 } .grid { stroke: #3d444d }
}"""
# Each is readable on white and on #0d1117.
COLOURS = {"scalar": "#8c8c8c", "sse41": "#1a9e77", "avx2": "#2f81d0", "avxvnni": "#c774a8", "avx512vnni": "#d1383d",
           "avx2, proved": "#86b9ee", "avx512vnni, proved": "#f0938c", "XNNPACK": "#d9a521", "oneDNN": "#9a7433"}


class Picture:
    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def text(self, x, y, text, anchor="start", style="", colour=None):
        paint = f' style="fill: {colour}"' if colour else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{style}"{paint}>{escape(text)}</text>')

    def line(self, x1, y1, x2, y2, style="line", colour=None, dash=None):
        paint = (f' style="stroke: {colour}"' if colour else "") + (f' stroke-dasharray="{dash}"' if dash else "")
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"{paint}/>')

    def box(self, x, y, width, height, colour, hollow=False):
        """Draws a rectangle. Of a hollow rectangle only the outline has the colour, within the same size."""
        if hollow:
            x, y, width, height = x + 0.5, y + 0.5, max(width - 1, 0.5), height - 1
        paint = f'fill="none" stroke="{colour}"' if hollow else f'fill="{colour}"'
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {paint}/>')

    def dot(self, x, y, colour):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" fill="{colour}"/>')

    def legend(self, x, y, names):
        """Draws a coloured square before each name, in one row."""
        for name in names:
            self.box(x, y - 8, 9, 9, COLOURS[name])
            self.text(x + 13, y, name)
            x += 31 + 6.2 * len(name)

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                       f'width="{self.width}" height="{self.height}">\n<style>\n{STYLE}\n</style>\n')
            file.write("\n".join(self.parts) + "\n</svg>\n")


def machine(context):
    """Names the processor and the day of figures that were kept with --json."""
    return f'{context["processor"]}, one thread, {context["date"][:10]}'
