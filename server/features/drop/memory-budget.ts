// Limits the memory of files that are being received: above the limit, the buffers of those that
// have waited longest are written to their staging files.

export interface Holder {
  /** Gives its buffers away. */
  spill(): void
}

export interface MemoryBudget {
  /** The holder has just used its buffers, of so many bytes; 0: it has none. */
  used(holder: Holder, bytes: number): void
  /** In all. */
  held(): number
}

export function createMemoryBudget(limit: number): MemoryBudget {
  /** In the order of their last use. */
  const holders = new Map<Holder, number>()
  let held = 0
  const remove = (holder: Holder) => {
    held -= holders.get(holder) ?? 0
    holders.delete(holder)
  }
  return {
    used: (holder, bytes) => {
      remove(holder)
      if (bytes === 0) return
      holders.set(holder, bytes)
      held += bytes
      for (const oldest of holders.keys()) {
        if (held <= limit) break
        remove(oldest)
        oldest.spill()
      }
    },
    held: () => held,
  }
}
