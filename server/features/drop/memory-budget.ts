// Limits the memory of files that are being received: above the limit, the buffers of those that
// have waited longest are written to their staging files.

export interface Holder {
  /** Writes the buffers of the file to its staging file. */
  spill(): void
}

export interface MemoryBudget {
  /** Records that the holder has just used its buffers, and their bytes; 0: it has none. */
  used(holder: Holder, bytes: number): void
  /** The bytes of all holders. */
  held(): number
}

export function createMemoryBudget(limit: number): MemoryBudget {
  /** The bytes of each holder, in the order of the last use. */
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
