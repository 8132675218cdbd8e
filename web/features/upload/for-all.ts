// What is chosen for all files of the queue, before and while they are sent.
import { type BatchFiles } from './calls.ts'

export interface CommonValues {
  tags: readonly string[]
  /** The name of a pack; empty: none. */
  pack: string
  product: { sku: string; title: string } | null
  /** As typed; empty: the shop’s setting. */
  expiry_days: string
  download_limit: string
  /** `2027-03-01`; empty: immediately. */
  available_from: string
  /** As typed; empty: none. */
  available_after_days: string
  first_use_hours: string
  view_limit: string
  view_days: string
  customer_tag: string
  /** What buyers are asked for before a download; empty: nothing. */
  ask_for: '' | 'email'
}

export const NOTHING_FOR_ALL: CommonValues = {
  tags: [],
  pack: '',
  product: null,
  expiry_days: '',
  download_limit: '',
  available_from: '',
  available_after_days: '',
  first_use_hours: '',
  customer_tag: '',
  view_limit: '',
  view_days: '',
  ask_for: '',
}

const MAX_NUMBERS = {
  expiry_days: 36_500,
  download_limit: 1_000_000_000,
  available_after_days: 36_500,
  first_use_hours: 876_000,
  view_limit: 1_000_000_000,
  view_days: 36_500,
}
export type NumberName = keyof typeof MAX_NUMBERS

/** Is it empty, or a number that a file may have? */
export const isNumber = (name: NumberName, text: string): boolean =>
  text.trim() === '' ||
  (/^\d{1,10}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= MAX_NUMBERS[name])

/** What the server gets; numbers that are not valid are left out. */
export function batchFilesOf(choices: CommonValues): BatchFiles {
  const { tags, pack, product, available_from, customer_tag, ask_for: asked, ...numbers } = choices
  const valid = (name: NumberName) =>
    numbers[name].trim() !== '' && isNumber(name, numbers[name])
      ? { [name]: Number(numbers[name]) }
      : {}
  return {
    ...(tags.length > 0 ? { tags: [...tags] } : {}),
    ...(pack.trim() === '' ? {} : { pack: pack.trim() }),
    ...(product ? { product_sku: product.sku } : {}),
    ...valid('expiry_days'),
    ...valid('download_limit'),
    ...(available_from === '' ? {} : { available_from }),
    ...valid('available_after_days'),
    ...valid('first_use_hours'),
    ...valid('view_limit'),
    ...valid('view_days'),
    ...(customer_tag.trim() === '' ? {} : { customer_tag: customer_tag.trim() }),
    ...(asked === '' ? {} : { ask_for: asked }),
  }
}
