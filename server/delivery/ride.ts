// A part that goes on with a download that was counted is paid from the client's session, a piece at a time as it is sent: a program
// that opens many parts at once, and leaves each where the next one begins, pays for what it takes and not for what it asked.
import type { Allowance } from './bytes.ts'
import type { Asker, Counting, LinkTarget } from './counting.ts'

export interface Ride extends Allowance {
  /** Puts back what was taken from the session and not sent. */
  end(sent: number): Promise<void>
}

/** So many parts at once have their pieces in hand and leave the session half of what it held. */
const PIECES = 32
const PIECE_BYTES = { least: 256 * 1024, most: 8 * 1024 * 1024 }

const pieceOf = (size: number) => Math.min(PIECE_BYTES.most, Math.max(PIECE_BYTES.least, Math.ceil(size / PIECES)))

/**
 * Takes the first piece of `length` bytes; null where the session has ended, or has not so much left. One that runs out on the way
 * goes on as a download that is counted (`counted` is called), where the link allows one more.
 */
export async function openRide(
  counting: Counting,
  target: LinkTarget,
  asker: Asker,
  length: number,
  counted: () => void,
): Promise<Ride | null> {
  const most = pieceOf(target.size)
  let [asked, taken, inHand] = [0, 0, 0]
  let paid = false
  const takePiece = async (): Promise<boolean> => {
    const bytes = Math.min(most, length - asked)
    if (bytes === 0 || !(await counting.ride(target, asker, bytes))) return false
    asked += bytes
    taken += bytes
    inHand += bytes
    return true
  }
  const count = async (): Promise<boolean> => {
    const again = await counting.count(asker)
    if (!again) return false
    // Other bytes by now: these can't be finished.
    if (again.hash !== target.hash) return counting.giveBack(again, asker).then(() => false)
    paid = true
    counted()
    return true
  }
  const takeMore = async (): Promise<boolean> => {
    try {
      return (await takePiece()) || (await count())
    } catch {
      // The database can't be asked: what is on its way goes on.
      return (paid = true)
    }
  }
  if (!(await takePiece())) return null
  return {
    take: async (bytes) => {
      while (!paid && inHand < bytes) if (!(await takeMore())) return false
      inHand -= bytes
      return true
    },
    end: async (sent) => {
      // Counting opened the session anew.
      if (!paid && taken > sent) await counting.refund(target, asker, taken - sent)
    },
  }
}
