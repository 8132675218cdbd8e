// The speed of uploads: averaged over the last seconds, so that a pause shows soon and one slow
// moment does not.

const WINDOW_MS = 8000

export interface Speed {
  /** `sent`: the bytes of all files together, at the time `now` in milliseconds. */
  note(sent: number, now: number): void
  /** Bytes per second; null while it is unknown. */
  at(now: number): number | null
  reset(): void
}

export function createSpeed(): Speed {
  let points: { sent: number; at: number }[] = []
  return {
    note: (sent, now) => {
      const last = points.at(-1)
      // The bytes of a cancelled file are subtracted.
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
