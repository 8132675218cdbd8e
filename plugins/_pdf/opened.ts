// A document that can be processed.

export interface OpenedDocument {
  /** Its file in the folder, which is not encrypted and whose pages can be found. */
  file: string
  /** The encrypted file whose protection the result gets; null: it was not encrypted. */
  encryptedLike: string | null
  password: string
  repaired: boolean
  signed: boolean
  /** Whether it is linearized: it can be shown while it loads. */
  linearized: boolean
}
