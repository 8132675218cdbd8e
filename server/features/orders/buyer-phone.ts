// Phone numbers of buyers, for texts to those without an email address. They are stored sealed, and
// messages show only their ends.
import type { Secrets } from '../../core/secrets.ts'

/** Country and number, without spaces; 15 digits at most (ITU-T E.164). */
const E164 = /^\+[1-9]\d{6,14}$/
const SHOWN_DIGITS = 3

/**
 * The number in the international form (E.164); null: this is none. Without a country's code a number
 * cannot be dialled from elsewhere.
 */
export function normalPhone(written: string): string | null {
  const number = written
    .normalize('NFKC')
    .trim()
    .replace(/^00/, '+')
    // The digit that is dialled within the country only.
    .replace('(0)', '')
    .replaceAll(/[\s().\-/\u2010-\u2015]/g, '')
  return E164.test(number) ? number : null
}

/** `+49…678`: enough to recognise a number, and too little to call it. */
export const shortenedPhone = (phone: string): string =>
  `${phone.slice(0, SHOWN_DIGITS)}…${phone.slice(-SHOWN_DIGITS)}`

/** What the numbers of orders and deliveries are sealed for. */
export const phonePlace = (shop: number): string => `${shop}/orders.phone`

export const sealPhone = (secrets: Pick<Secrets, 'seal'>, shop: number, phone: string): Buffer =>
  secrets.seal(phone, phonePlace(shop))

export const openPhone = (secrets: Pick<Secrets, 'open'>, shop: number, sealed: Buffer): string =>
  secrets.open(sealed, phonePlace(shop))
