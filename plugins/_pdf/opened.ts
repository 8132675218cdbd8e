// A document that can be processed.

export interface Opened {
  /** Its file in the folder: not encrypted, and its pages can be found. */
  file: string
  /** qpdf's arguments that encrypt the result like the original; null: it was not encrypted. */
  protection: readonly string[] | null
  password: string
  repaired: boolean
  signed: boolean
  /** Linearized: it can be shown while it loads. */
  linearized: boolean
}
