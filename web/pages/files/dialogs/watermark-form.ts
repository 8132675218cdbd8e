// The mark that is put on every page: a text or a picture, where, how strong.
import { withPassword } from './document-options.ts'
import { type Errors, type Reading, wholeNumber } from './use-form.ts'

export const POSITIONS = {
  diagonal: 'Across the page',
  center: 'In the middle',
  'top-left': 'Top left',
  'top-right': 'Top right',
  'bottom-left': 'Bottom left',
  'bottom-right': 'Bottom right',
} as const
export type Position = keyof typeof POSITIONS

export interface WatermarkForm {
  kind: 'text' | 'picture'
  text: string
  /** Of the picture. */
  picture: { id: string; filename: string } | null
  position: Position
  /** Per cent, as typed. */
  opacity: string
  /** Points, as typed; empty: as it fits. */
  font_size: string
  password: string
}

const LONGEST_TEXT = 200

export function readWatermark({ kind, position, password, ...form }: WatermarkForm): Reading {
  const errors: Errors = {}
  const text = form.text.trim()
  const opacity = wholeNumber(form.opacity, 1, 100)
  const size = form.font_size.trim() === '' ? undefined : wholeNumber(form.font_size, 4, 500)
  if (kind === 'text') {
    if (text === '') errors.text = 'Write what stands on every page'
    else if (text.length > LONGEST_TEXT) errors.text = `At most ${LONGEST_TEXT} characters`
    if (size === null) errors.font_size = 'Write a whole number from 4 to 500, or nothing'
  } else if (form.picture === null) errors.picture = 'Choose a picture'
  if (opacity === null) errors.opacity = 'Write a whole number from 1 to 100'
  if (Object.keys(errors).length > 0) return { errors }
  const mark = kind === 'text' ? { text, ...(size ? { font_size: size } : {}) } : { picture: form.picture!.id }
  return { options: { ...mark, position, opacity: opacity! / 100, ...withPassword(password) } }
}
