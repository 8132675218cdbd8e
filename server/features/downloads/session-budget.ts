// Takes the bytes of a part that continues a counted download from the client's session, one piece
// at a time as it is sent. So a client that opens many parts concurrently and closes each where the
// next begins is charged for the bytes that it received, not for those it requested.
import type { SendAllowance } from './bytes.ts'
import type { LinkCounter } from './counting.ts'
import type { Asker, LinkTarget } from './targets.ts'

export interface SessionBudget extends SendAllowance {
  /** Returns the bytes that were taken and not sent to the session. */
  end(sent: number): Promise<void>
}

/** This many concurrent parts can hold a piece each and leave half of the session's bytes. */
const CONCURRENT_PIECES = 32
const PIECE_BYTES = { min: 256 * 1024, max: 8 * 1024 * 1024 }

const pieceOf = (size: number) =>
  Math.min(PIECE_BYTES.max, Math.max(PIECE_BYTES.min, Math.ceil(size / CONCURRENT_PIECES)))

/** The session from which the pieces are taken. */
export interface PieceSource {
  /** The size of the whole file. */
  size: number
  /** The length of the requested part. */
  length: number
  /** Takes bytes from the session; false if it has expired or has fewer left. */
  spend(bytes: number): Promise<boolean>
  refund(bytes: number): Promise<void>
  /** The session is used up: counts the rest in another way, or returns false. */
  more(): Promise<boolean>
}

export type PieceBudget = SessionBudget

/** Takes the first piece; null if the session has expired or has too few bytes left. */
export async function openPieceBudget(source: PieceSource): Promise<PieceBudget | null> {
  const pieceBytes = pieceOf(source.size)
  let [asked, taken, left] = [0, 0, 0]
  let paid = false
  const takePiece = async (): Promise<boolean> => {
    const bytes = Math.min(pieceBytes, source.length - asked)
    if (bytes === 0 || !(await source.spend(bytes))) return false
    asked += bytes
    taken += bytes
    left += bytes
    return true
  }
  const takeMore = async (): Promise<boolean> => {
    try {
      return (await takePiece()) || (paid = await source.more())
    } catch {
      // The database is unavailable: a download that has begun may finish.
      return (paid = true)
    }
  }
  if (!(await takePiece())) return null
  return {
    take: async (bytes) => {
      while (!paid && left < bytes) if (!(await takeMore())) return false
      left -= bytes
      return true
    },
    end: async (sent) => {
      // Counting has refilled the session.
      if (!paid && taken > sent) await source.refund(taken - sent)
    },
  }
}

/**
 * The budget of a part of a link's file. When the session is used up and the link allows one more
 * download, that download is counted and `counted` is called.
 */
export function openSessionBudget(
  counting: LinkCounter,
  target: LinkTarget,
  asker: Asker,
  length: number,
  counted: () => void,
): Promise<SessionBudget | null> {
  return openPieceBudget({
    ...{ size: target.size, length },
    spend: (bytes) => counting.spend(target, asker, bytes),
    refund: (bytes) => counting.refund(target, asker, bytes),
    more: async () => {
      const again = await counting.count(asker)
      if (!again) return false
      // The file has a new version: the old bytes cannot be completed.
      if (again.hash !== target.hash) return counting.revertCount(again, asker).then(() => false)
      counted()
      return true
    },
  })
}
