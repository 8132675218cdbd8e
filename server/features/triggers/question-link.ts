// The link by which one person answers the question of one run: its token names both and when it
// ends, with a MAC. It says nothing to others, and nothing of it is stored.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { uuidOfHex } from '../../core/ids.ts'
import type { Secrets } from '../../core/secrets.ts'

/** The addresses of the pages that answer. */
export const ANSWERS = '/answers/'

export interface AnswerToken {
  shop: number
  /** The operation that asks: a bare UUID. */
  operation: string
  /** What `personOf` makes of the address of the person. */
  person: string
  expires: Date
}

const SHOP_BYTES = 4
const ID_BYTES = 16
const TIME_BYTES = 4
const PERSON_BYTES = 8
const CONTENT_BYTES = SHOP_BYTES + ID_BYTES + TIME_BYTES + PERSON_BYTES
const MAC_BYTES = 16
/** A multiple of 3 bytes, so that each token has one spelling. */
const TOKEN = new RegExp(`^[A-Za-z0-9_-]{${((CONTENT_BYTES + MAC_BYTES) * 4) / 3}}$`)

/** A person as tokens name them. */
export const personOf = (address: string): string =>
  createHash('sha256').update(address.toLowerCase()).digest().toString('hex', 0, PERSON_BYTES)

const macOf = (key: Buffer, content: Buffer): Buffer =>
  createHmac('sha256', key).update(content).digest().subarray(0, MAC_BYTES)

const USE = 'answer-link'

export function answerToken(
  { derive }: Pick<Secrets, 'derive'>,
  { shop, operation, person, expires }: AnswerToken,
): string {
  const content = Buffer.alloc(CONTENT_BYTES)
  content.writeUInt32BE(shop)
  content.write(operation.replaceAll('-', ''), SHOP_BYTES, 'hex')
  content.writeUInt32BE(Math.floor(expires.getTime() / 1000), SHOP_BYTES + ID_BYTES)
  content.write(person, SHOP_BYTES + ID_BYTES + TIME_BYTES, 'hex')
  return Buffer.concat([content, macOf(derive(USE), content)]).toString('base64url')
}

/** What a token says; null: it was not made here. An expired one is read too. */
export function readAnswerToken(
  { deriveAll }: Pick<Secrets, 'deriveAll'>,
  token: string,
): AnswerToken | null {
  if (!TOKEN.test(token)) return null
  const bytes = Buffer.from(token, 'base64url')
  const content = bytes.subarray(0, CONTENT_BYTES)
  const mac = bytes.subarray(CONTENT_BYTES)
  if (!deriveAll(USE).some((key) => timingSafeEqual(macOf(key, content), mac))) return null
  const hex = content.toString('hex', SHOP_BYTES, SHOP_BYTES + ID_BYTES)
  return {
    shop: content.readUInt32BE(),
    operation: uuidOfHex(hex),
    expires: new Date(content.readUInt32BE(SHOP_BYTES + ID_BYTES) * 1000),
    person: content.toString('hex', SHOP_BYTES + ID_BYTES + TIME_BYTES),
  }
}
