// Warnings about a document that was damaged or signed.
import type { Warning } from '../contract.ts'
import { sayPlain } from '../sandbox.ts'
import type { OpenedDocument } from './opened.ts'

export const repairWarnings = ({
  repaired,
  signed,
}: Pick<OpenedDocument, 'repaired' | 'signed'>): Warning[] => [
  ...(repaired ? [REPAIRED] : []),
  ...(signed ? [SIGNED] : []),
]

const REPAIRED: Warning = {
  code: 'pdf_repaired',
  message: sayPlain('The document was damaged. It was repaired as far as possible: check it'),
}

const SIGNED: Warning = {
  code: 'signature_lost',
  message: sayPlain('The document was signed. The result is not signed'),
}
