// The leaky bucket of points that all queries of the app draw from.
export interface PointBucket {
  /** Takes the points if the bucket has them. */
  take(points: number): boolean
  giveBack(points: number): void
  status(): { maximumAvailable: number; currentlyAvailable: number; restoreRate: number }
}

/** @param restore points a second. */
export function createBucket(size: number, restore: number): PointBucket {
  let left = size
  let at = performance.now()
  const refill = () => {
    const now = performance.now()
    left = Math.min(size, left + ((now - at) / 1000) * restore)
    at = now
  }
  return {
    take: (points) => {
      refill()
      if (left < points) return false
      left -= points
      return true
    },
    giveBack: (points) => {
      left = Math.min(size, left + points)
    },
    status: () => {
      refill()
      return { maximumAvailable: size, currentlyAvailable: Math.floor(left), restoreRate: restore }
    },
  }
}
