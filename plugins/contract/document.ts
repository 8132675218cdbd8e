// Functions for PDF documents that plugins share.
import { sayPlain } from './text.ts'
import { z } from 'zod'
import { extensionOf } from './condition.ts'
import type { ActionFit } from './form.ts'

/**
 * The password of encrypted documents. It is sealed while the operation needs it, and never shown.
 */
export const documentPassword = z.string().min(1).max(255).optional().meta({
  title: 'Password',
  help: 'For documents that need one. It is not stored in the history.',
  widget: 'password',
  sensitive: true,
  mends: 'pdf_encrypted',
})

/** Why it is not a PDF, or null. Judged by the name: the content is checked when it is opened. */
export const nonPdfReason = ({ filename }: { filename: string }): string | null =>
  extensionOf(filename) === 'pdf' ? null : sayPlain('It is not a PDF document')

/** `folder.pdf` → `folder`. */
export const stemOf = (filename: string): string => filename.replace(/\.pdf$/i, '')

/** An action that skips files that are not PDFs. */
export const anyPdf: ActionFit = {
  noun: { one: 'PDF', many: 'PDFs', files: { extensions: ['pdf'] } },
  rules: [{ rule: 'some', files: { extensions: ['pdf'] }, why: 'No PDF is selected' }],
}

export const pdfAdvice = {
  pdf_encrypted: 'Retry the failed files, and enter their password.',
  pdf_damaged:
    'Replace the documents that are damaged: buyers may not be able to open them either.',
  not_a_pdf: 'Give the files that are not PDF documents the right extension.',
}
