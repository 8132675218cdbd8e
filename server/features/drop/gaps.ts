// The parts of a file that have not arrived although later ones have. Clients may send parts in any
// order, so a gap is normal during a transfer. At its end, a gap would be stored as zeros.

export interface Gaps {
  /** The offset of the first missing byte, or null. */
  first(): number | null
  count(): number
  /** Records that bytes arrived at `position`; `size` is the end of the file before them. */
  arrived(position: number, length: number, size: number): void
  /** Records that the file ends at `size` now. */
  cut(size: number): void
}

interface Range {
  from: number
  to: number
}

export function createGaps(): Gaps {
  /** The gaps in order, none adjacent to another. */
  let gaps: Range[] = []
  return {
    first: () => gaps[0]?.from ?? null,
    count: () => gaps.length,
    arrived: (position, length, size) => {
      if (length === 0) return
      if (position > size) gaps.push({ from: size, to: position })
      else if (gaps.length > 0) gaps = without(gaps, position, position + length)
    },
    cut: (size) => {
      gaps = without(gaps, size, Infinity)
    },
  }
}

const without = (gaps: readonly Range[], from: number, to: number): Range[] =>
  gaps
    .flatMap((gap) => [
      { from: gap.from, to: Math.min(gap.to, from) },
      { from: Math.max(gap.from, to), to: gap.to },
    ])
    .filter((gap) => gap.from < gap.to)
