// What is asked of pictures and documents in more than one dialog.
import { type Errors, wholeNumber } from './use-form.ts'

export interface PixelsForm {
  max_px: string
  quality: string
}

const LARGEST_PX = 16_000

/** How small pictures become, alone or in documents. */
export function readPixels(
  { max_px, quality }: PixelsForm,
  least: number,
): { max_px: number; quality: number } | { errors: Errors } {
  const errors: Errors = {}
  const [px, percent] = [wholeNumber(max_px, least, LARGEST_PX), wholeNumber(quality, 1, 100)]
  if (px === null) errors.max_px = `Write a whole number from ${least} to 16,000`
  if (percent === null) errors.quality = 'Write a whole number from 1 to 100'
  return px === null || percent === null ? { errors } : { max_px: px, quality: percent }
}

/** Absent where none is given. */
export const withPassword = (password: string) => (password === '' ? {} : { password })
