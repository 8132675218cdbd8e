// The password of a shop's own mail server, sealed for its row.
import type { Secrets } from '../../core/secrets.ts'

/** What the password is sealed for. */
export const mailPasswordPlace = (shop: number): string => `${shop}/mail-password`

export const sealPassword = (secrets: Secrets, shop: number, password: string): Buffer =>
  secrets.seal(password, mailPasswordPlace(shop))

/** Null: there is none, or it was sealed with another secret, so the server refuses the sign-in. */
export function openPassword(secrets: Secrets, shop: number, sealed: Buffer | null): string | null {
  if (sealed === null) return null
  try {
    return secrets.open(sealed, mailPasswordPlace(shop))
  } catch {
    return null
  }
}
