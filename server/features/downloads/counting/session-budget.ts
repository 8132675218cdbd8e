// Takes the bytes of a transfer that continues a counted download from its session, one piece at a
// time as it is sent. So a client that opens many parts concurrently and closes each where the
// next begins is charged for the bytes that it received, not for those it requested.
// docs/decisions/0022.
import type { SendAllowance } from '../bytes.ts'

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
  /** The session is used up: counts the rest in another way, or returns false. */
  more(): Promise<boolean>
}

export class PieceBudget implements SendAllowance {
  readonly #source: PieceSource
  readonly #pieceBytes: number
  #taken = 0
  #left = 0
  /** The rest needs no budget. */
  #paid = false

  private constructor(source: PieceSource) {
    this.#source = source
    this.#pieceBytes = pieceOf(source.size)
  }

  /** Takes the first piece; null if the session has expired or has too few bytes left. */
  static async open(source: PieceSource): Promise<PieceBudget | null> {
    const budget = new PieceBudget(source)
    return (await budget.#takePiece()) ? budget : null
  }

  async take(bytes: number): Promise<boolean> {
    while (!this.#paid && this.#left < bytes) if (!(await this.#takeMore())) return false
    this.#left -= bytes
    return true
  }

  /** The bytes that were taken and not sent. None once counting has refilled the session. */
  unsent(sent: number): number {
    return this.#paid ? 0 : Math.max(this.#taken - sent, 0)
  }

  async #takePiece(): Promise<boolean> {
    const bytes = Math.min(this.#pieceBytes, this.#source.length - this.#taken)
    if (bytes === 0 || !(await this.#source.spend(bytes))) return false
    this.#taken += bytes
    this.#left += bytes
    return true
  }

  async #takeMore(): Promise<boolean> {
    try {
      return (await this.#takePiece()) || (this.#paid = await this.#source.more())
    } catch {
      // The database is unavailable: a download that has begun may finish.
      return (this.#paid = true)
    }
  }
}
