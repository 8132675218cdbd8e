// Long work on one table or text is cut into slices: between them, other requests are answered.

/** Resolves in the next turn of the event loop, after what is waiting. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** The items of one slice: a few milliseconds, if each item needs some microseconds. */
const SLICE = 1000

/** Uses the items in order, and lets others take turns between them. */
export async function inSlices<T>(
  items: Iterable<T>,
  use: (item: T, at: number) => void,
): Promise<void> {
  let at = 0
  for (const item of items) {
    if (at > 0 && at % SLICE === 0) await nextTurn()
    use(item, at++)
  }
}
