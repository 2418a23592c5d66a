"""Where everything stands in a frame, in pixels: header, panels of maps between two tapes, footer."""

from dataclasses import dataclass

ROOM = (752, 384)
"""Width and height that the panels take as far as they can."""
WIDEST = 1280
"""Up to here a long tape keeps two pixels a cell; beyond it has one."""
LARGEST_CELL = 28
LEAST_ROW = 3
"""As far as the room allows, cells of a long tape are this high, higher than wide."""
LETTER_CELL = 9
"""The narrowest cell that a letter fits in."""
MOST_PANELS = 3
"""Each repeats the tapes. Three are also the thirds of a Diagonal Neural GPU: maps that stay, move up and move down."""

MARGIN = 16
GUTTER = 52
"""Left of the panels, for the words beside the tapes."""
GAP = 14
"""Between panels."""
HEADER = 40
FOOTER = 34
LINE = 1
"""Around a panel, thin at every scale of the rest."""


@dataclass(frozen=True)
class Stage:
    """The frame of an image with n x w cells, of which some maps are shown."""

    n: int
    w: int
    maps: int
    """that are shown"""
    panels: int
    """side by side, each with a part of the maps below one another"""
    cell: int
    """pixels of a cell along the tape"""
    row: int
    """pixels of a cell across it"""
    unit: int
    """what all other sizes are multiplied by"""
    least_width: int = 0
    """that the header and the footer need"""

    @property
    def maps_a_panel(self) -> int:
        """Maps below one another."""
        return -(-self.maps // self.panels)

    @property
    def lettered(self) -> bool:
        """Whether symbols are written in their cells."""
        return self.cell >= LETTER_CELL * self.unit

    @property
    def tape_height(self) -> int:
        """Of the input above a panel and the answer below it."""
        return min(max(self.cell, 20 * self.unit), 24 * self.unit) if self.lettered else 12 * self.unit

    @property
    def tape_gap(self) -> int:
        """Between a tape and the panel."""
        return 4 * self.unit

    @property
    def separator(self) -> int:
        """Between maps: thicker where a map has several rows, none where a map is but a thin line itself."""
        if self.w > 1:
            return 2 * LINE
        return LINE if self.row >= 6 else 0

    @property
    def panel_height(self) -> int:
        """Of the maps with the separators between and a line around them."""
        return self.maps_a_panel * (self.w * self.row + self.separator) - self.separator + 2 * LINE

    @property
    def panel_width(self) -> int:
        """Of the cells with a line on either side."""
        return self.n * self.cell + 2 * LINE

    @property
    def panels_width(self) -> int:
        """Of all panels with the gaps between them."""
        return self.panels * self.panel_width + (self.panels - 1) * GAP * self.unit

    @property
    def width(self) -> int:
        """Of the frame; even, because films need it."""
        panels = self.panels_width + (GUTTER + 2 * MARGIN) * self.unit
        return _even(max(panels, self.least_width + 2 * MARGIN * self.unit))

    @property
    def height(self) -> int:
        """Of the frame; even, because films need it."""
        return _even(self.answer_top + self.tape_height + FOOTER * self.unit)

    @property
    def input_top(self) -> int:
        """Where the input's tape begins."""
        return (HEADER + 14) * self.unit

    @property
    def panel_top(self) -> int:
        """Where the maps begin."""
        return self.input_top + self.tape_height + self.tape_gap

    @property
    def answer_top(self) -> int:
        """Where the answer's tape begins."""
        return self.panel_top + self.panel_height + self.tape_gap

    def panel_left(self, panel: int) -> int:
        """Where a panel begins; all of them together stand in the middle of what the gutter leaves."""
        room = self.width - (GUTTER + 2 * MARGIN) * self.unit
        first = (MARGIN + GUTTER) * self.unit + (room - self.panels_width) // 2
        return first + panel * (self.panel_width + GAP * self.unit)


def plan(n: int, w: int, maps: int, scale: int, least_width: int) -> Stage:
    """The stage with the largest cells that fits the room; of equal ones the one with fewest panels."""
    stages = (_with_panels(n, w, maps, panels) for panels in range(1, min(maps, MOST_PANELS) + 1))
    panels, cell, row = max(stages, key=lambda stage: stage[1] * stage[2])
    return Stage(n, w, maps, panels, cell * scale, row * scale, scale, least_width)


def _with_panels(n: int, w: int, maps: int, panels: int) -> tuple[int, int, int]:
    """The number of panels, and the width and height of a cell."""
    room = (ROOM[0] - (panels - 1) * GAP) // panels
    if panels > 1 and room // n < LETTER_CELL:
        return panels, 0, 0  # a tape is repeated only where it can be read
    cell = min(max(room // n, min(WIDEST // n, 2), 1), LARGEST_CELL)
    rows = -(-maps // panels) * w
    return panels, cell, min(max(ROOM[1] // rows, 1), max(cell, LEAST_ROW))


def _even(pixels: int) -> int:
    return pixels + pixels % 2
