// The order of a list that a person arranges.

/** The list with the element at `from` moved to `to`; unchanged if either is no place of the list. */
export function movedTo<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const moved = list[from]
  if (moved === undefined || list[to] === undefined || from === to) return list
  return list.toSpliced(from, 1).toSpliced(to, 0, moved)
}

/** The beginning and the end of an element, from top to bottom. */
interface Span {
  top: number
  bottom: number
}

/**
 * The place that the dragged row would get if it were dropped at `y`: rows whose middle is passed
 * stay before it.
 */
export const placeAt = (rows: readonly Span[], from: number, y: number): number =>
  rows.filter(({ top, bottom }, at) => {
    const middle = (top + bottom) / 2
    return at < from ? middle < y : at > from && middle <= y
  }).length
