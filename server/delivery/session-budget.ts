// A part of a file that continues a counted download is paid from the client's session, a piece at
// a time as it is sent. A client that opens many parts at a time and closes each where the next
// begins pays for the bytes it takes, not for the bytes it asked for.
import type { SendAllowance } from './bytes.ts'
import type { Counting } from './counting.ts'
import type { Asker, LinkTarget } from './targets.ts'

export interface SessionBudget extends SendAllowance {
  /** Returns to the session what was taken from it and not sent. */
  end(sent: number): Promise<void>
}

/** This many concurrent parts can hold a piece each and leave the session half of its bytes. */
const CONCURRENT_PIECES = 32
const PIECE_BYTES = { least: 256 * 1024, most: 8 * 1024 * 1024 }

const pieceOf = (size: number) =>
  Math.min(PIECE_BYTES.most, Math.max(PIECE_BYTES.least, Math.ceil(size / CONCURRENT_PIECES)))

/** What pays for the pieces. */
export interface PieceSource {
  /** Of the whole file. */
  size: number
  /** Of the part that is asked for. */
  length: number
  /** Takes bytes from the session; false if it has expired or has fewer left. */
  spend(bytes: number): Promise<boolean>
  refund(bytes: number): Promise<void>
  /** The session has run out: pays for the rest in another way, or gives false. */
  more(): Promise<boolean>
}

export type PieceBudget = SessionBudget

/** Takes the first piece; null if the session has expired or has too few bytes left. */
export async function openPieceBudget(source: PieceSource): Promise<PieceBudget | null> {
  const most = pieceOf(source.size)
  let [asked, taken, left] = [0, 0, 0]
  let paid = false
  const takePiece = async (): Promise<boolean> => {
    const bytes = Math.min(most, source.length - asked)
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
      // The database cannot be reached: a download that has begun may finish.
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
 * The budget of a part of a link's file. If the session runs out, the part becomes a counted download
 * (`counted` is called) where the link allows one more.
 */
export function openSessionBudget(
  counting: Counting,
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
