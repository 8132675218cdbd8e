// Where a key moves the focus in a grid of tiles.

interface GridShape {
  tiles: number
  /** How many tiles are in a line. */
  columns: number
  rightToLeft: boolean
}

/** The tile to which the key leads; null: it is no key of the grid. The ends stop it. */
export function tileAfter(
  key: string,
  at: number,
  { tiles, columns, rightToLeft }: GridShape,
): number | null {
  const last = tiles - 1
  const forward = rightToLeft ? 'ArrowLeft' : 'ArrowRight'
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowRight':
      return key === forward ? Math.min(at + 1, last) : Math.max(at - 1, 0)
    case 'ArrowUp':
      return at < columns ? at : at - columns
    case 'ArrowDown':
      // The last line may be shorter than the one above it.
      return Math.floor(at / columns) === Math.floor(last / columns)
        ? at
        : Math.min(at + columns, last)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return null
  }
}
