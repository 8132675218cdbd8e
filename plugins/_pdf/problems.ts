// Problems of documents in the texts of server/core/errors.ts, for the scripts that open documents.
import { Refusal } from '../contract/sandbox.ts'

export const PROBLEMS = {
  pdf_damaged: 'The document is damaged and cannot be repaired',
  not_a_pdf: 'This is not a PDF document',
  pdf_encrypted: 'The document is encrypted: its password is needed to open it',
} as const

export const refusalFor = (code: keyof typeof PROBLEMS, options?: ErrorOptions): Refusal =>
  new Refusal(code, PROBLEMS[code], options)
