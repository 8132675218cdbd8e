// A document that can be processed.

export interface OpenedDocument {
  /** Its file in the folder, which is not encrypted and whose pages can be found. */
  file: string
  /**
   * The arguments of qpdf that encrypt the result like the original; null: it was not encrypted.
   */
  protection: readonly string[] | null
  password: string
  repaired: boolean
  signed: boolean
  /** Whether it is linearized: it can be shown while it loads. */
  linearized: boolean
}
