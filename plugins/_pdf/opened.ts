// A document that can be worked on.

export interface Opened {
  /** Its file in the folder: not encrypted, and its pages can be found. */
  file: string
  /** In qpdf's words, how to protect what is made of it as it was itself; null: it was not. */
  protection: readonly string[] | null
  password: string
  repaired: boolean
  signed: boolean
  /** Made ready to be read while it loads. */
  linearized: boolean
}
