// The order of a pack's files.

/** The list with the element at `at` moved by one place up (-1) or down (1). */
export function moveBy<T>(list: readonly T[], at: number, by: -1 | 1): T[] {
  const to = at + by
  if (to < 0 || to >= list.length) return [...list]
  const next = [...list]
  const [one] = next.splice(at, 1)
  next.splice(to, 0, one!)
  return next
}
