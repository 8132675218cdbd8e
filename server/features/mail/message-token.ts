// The token by which a report about a mail finds the mail: in the address to which reports are sent
// (VERP) and in a header. It ends with a MAC: nobody can report about a mail that was not sent to
// them. Base32 in lower case, because some servers change the case of addresses.
// docs/decisions/0063.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../../core/secrets.ts'

export interface MailId {
  shop: number
  /** A bare UUID. */
  message: string
}

const SHOP_BYTES = 4
const ID_BYTES = 16
/** 80 bits: as many as fit into the 64 characters before the @, with a name of 15 characters. */
const MAC_BYTES = 10
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const LENGTH = ((SHOP_BYTES + ID_BYTES + MAC_BYTES) * 8) / 5
const TOKEN = new RegExp(`^[a-z2-7]{${LENGTH}}$`)

/** The header with the token, which reports contain among those of the returned mail. */
export const TOKEN_HEADER = 'X-Stevedore-Message'

export interface MailTokens {
  tokenOf(id: MailId): string
  /** Null: it was not made here. */
  read(token: string): MailId | null
  /** The address with the token: `bounces+TOKEN@example.com`. */
  addressOf(base: string, id: MailId): string
  /** Reads such an address. */
  readAddress(address: string): MailId | null
}

/** @param secrets the key stays the same when the secret is replaced. */
export function createMailTokens({ lookupKey }: Pick<Secrets, 'lookupKey'>): MailTokens {
  const key = lookupKey('mail-token')
  const macOf = (content: Buffer) =>
    createHmac('sha256', key).update(content).digest().subarray(0, MAC_BYTES)
  const tokenOf = ({ shop, message }: MailId): string => {
    const content = Buffer.alloc(SHOP_BYTES + ID_BYTES)
    content.writeUInt32BE(shop)
    content.write(message.replaceAll('-', ''), SHOP_BYTES, 'hex')
    return encode(Buffer.concat([content, macOf(content)]))
  }
  const read = (text: string): MailId | null => {
    const token = text.trim().toLowerCase()
    if (!TOKEN.test(token)) return null
    const bytes = decode(token)
    const content = bytes.subarray(0, SHOP_BYTES + ID_BYTES)
    if (!timingSafeEqual(bytes.subarray(SHOP_BYTES + ID_BYTES), macOf(content))) return null
    const hex = content.subarray(SHOP_BYTES).toString('hex')
    const message = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    return { shop: content.readUInt32BE(), message }
  }
  return {
    tokenOf,
    read,
    addressOf: (base, id) => {
      const at = base.lastIndexOf('@')
      return `${base.slice(0, at)}+${tokenOf(id)}${base.slice(at)}`
    },
    readAddress: (address) => read(/\+([a-z2-7]+)@[^@]*$/i.exec(address.trim())?.[1] ?? ''),
  }
}

function encode(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET.charAt((value >> bits) & 31)
    }
    value &= (1 << bits) - 1
  }
  return text
}

function decode(text: string): Buffer {
  const bytes: number[] = []
  let bits = 0
  let value = 0
  for (const character of text) {
    value = (value << 5) | ALPHABET.indexOf(character)
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((value >> bits) & 255)
    value &= (1 << bits) - 1
  }
  return Buffer.from(bytes)
}
