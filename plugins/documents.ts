// The words about PDF documents that plugins share.
import { z } from 'zod'
import { extensionOf } from './conditions.ts'

/** The option with which encrypted documents are opened. It is kept sealed while its operation needs it, and shown nowhere. */
export const documentPassword = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .meta({ title: 'Password', help: 'For documents that take one.', sensitive: true })

/** Why it is none, or null. By the name alone: what is in it is seen when it is opened. */
export const whyNoDocument = ({ filename }: { filename: string }): string | null =>
  extensionOf(filename) === 'pdf' ? null : 'It is not a PDF document'

/** `folder.pdf` → `folder`. */
export const stemOf = (filename: string): string => filename.replace(/\.pdf$/i, '')
