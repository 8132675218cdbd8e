// What was seen a moment ago and need not be looked at again.

export interface Lately<Value> {
  /** Undefined: not seen, or too long ago. */
  get(name: string): Value | undefined
  set(name: string, value: Value): void
  delete(name: string): void
}

const MOST = 10_000

/** `forMs`: how long it is believed. */
export function createLately<Value>(forMs: number): Lately<Value> {
  const seen = new Map<string, { value: Value; until: number }>()
  return {
    get: (name) => {
      const found = seen.get(name)
      return found && performance.now() < found.until ? found.value : undefined
    },
    set: (name, value) => {
      if (seen.size >= MOST) seen.clear()
      seen.set(name, { value, until: performance.now() + forMs })
    },
    delete: (name) => void seen.delete(name),
  }
}
