// The order of the requests of one SFTP channel. Clients send further requests before they have the
// replies: folders in folders, a rename after a close. They must see the results as if each had waited
// for the one before it (draft-ietf-secsh-filexfer-02, 3).

type Work<T> = () => Promise<T>

export interface RequestOrder {
  /** Runs after the earlier requests that change names, and beside others. */
  beside<T>(work: Work<T>): Promise<T>
  /** Runs after all earlier requests and before all later ones: it changes names. */
  alone<T>(work: Work<T>): Promise<T>
}

export function createRequestOrder(): RequestOrder {
  /** The last request that runs alone, with all before it; null: none is running. */
  let last: Promise<unknown> | null = null
  /** The requests since then. */
  const running = new Set<Promise<unknown>>()
  const settled = (promise: Promise<unknown>) => promise.catch(() => {})
  return {
    beside: (work) => {
      const result = last ? last.then(work) : work()
      const end = settled(result)
      running.add(end)
      void end.then(() => running.delete(end))
      return result
    },
    alone: (work) => {
      const earlier = [last, ...running].filter((one) => one !== null)
      running.clear()
      const result = earlier.length > 0 ? Promise.all(earlier).then(work) : work()
      const end = settled(result)
      last = end
      void end.then(() => {
        if (last === end) last = null
      })
      return result
    },
  }
}
