// A bounded map in memory whose entries expire.

export interface TtlCache<Value> {
  /** The value; undefined: never set, or expired. */
  get(name: string): Value | undefined
  /**
   * @param since when the value was valid, by performance.now(); its time to live starts then.
   */
  set(name: string, value: Value, since?: number): void
  delete(name: string): void
}

const MAX_ENTRIES = 10_000

/** @param ttlMs how long an entry is returned. */
export function createTtlCache<Value>(ttlMs: number): TtlCache<Value> {
  const entries = new Map<string, { value: Value; expiresAt: number }>()
  return {
    get: (name) => {
      const found = entries.get(name)
      return found && performance.now() < found.expiresAt ? found.value : undefined
    },
    set: (name, value, since = performance.now()) => {
      if (entries.size >= MAX_ENTRIES) entries.clear()
      entries.set(name, { value, expiresAt: since + ttlMs })
    },
    delete: (name) => void entries.delete(name),
  }
}
