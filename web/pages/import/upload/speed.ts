// How fast bytes go up: over the last seconds, so that a pause or a cut shows soon and one slow
// moment does not.

const WINDOW_MS = 8000

export interface Speed {
  /** `sent`: bytes of all files together, at the time `now` in milliseconds. */
  note(sent: number, now: number): void
  /** Bytes a second; null while nothing can be said. */
  at(now: number): number | null
  reset(): void
}

export function createSpeed(): Speed {
  let points: { sent: number; at: number }[] = []
  return {
    note: (sent, now) => {
      const last = points.at(-1)
      // A file that was cancelled takes its bytes with it.
      if (last && sent < last.sent) points = []
      points.push({ sent, at: now })
      while (points.length > 2 && points[1]!.at <= now - WINDOW_MS) points.shift()
    },
    at: (now) => {
      const [first] = points
      const last = points.at(-1)
      if (!first || !last || now - first.at < 500) return null
      return ((last.sent - first.sent) / (now - first.at)) * 1000
    },
    reset: () => {
      points = []
    },
  }
}
