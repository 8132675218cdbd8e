// What a link asks before a download, as requests give it: a password is hashed immediately.
import { z } from 'zod'
import {
  downloadPassword,
  downloadPasswordHash,
  sayPlain,
  shownAsk,
} from '../../../../plugins/contract.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { ASKS_NOTHING } from './asks.ts'

const CHOICES = [ASKS_NOTHING, 'email', 'password'] as const

/** The fields of a request about links. */
export const askFields = {
  ask_for: z.enum(CHOICES).nullable().optional().meta({
    description:
      'What the link asks for before a download or view: nothing, the buyer’s email address, or a `password`; null: what the file asks for',
  }),
  password: downloadPassword.optional().meta({
    description: 'The password that it asks for. It cannot be read again',
    sensitive: true,
  }),
}

interface GivenAsk {
  ask_for?: (typeof CHOICES)[number] | null | undefined
  password?: string | undefined
}

/** A password belongs to the choice that asks for one. */
export function checkAsk({ ask_for: asked, password }: GivenAsk, context: z.RefinementCtx): void {
  const wrong = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message })
  if (asked === 'password' && password === undefined)
    wrong('password', sayPlain('Enter the password'))
  if (password !== undefined && (asked ?? 'password') !== 'password')
    wrong('ask_for', sayPlain('Ask for either the email address or a password'))
}

/** The value of the column; undefined: the request does not name it. */
export async function askTerm(
  scope: ShopScope,
  { ask_for: asked, password }: GivenAsk,
): Promise<string | null | undefined> {
  if (password === undefined) return asked
  return downloadPasswordHash(password, await shopDomain(scope))
}

/** The body of a request with what it asks for as the value of the column, without the password. */
export async function withAskTerm<Body extends GivenAsk>(
  scope: ShopScope,
  { ask_for: asked, password, ...others }: Body,
): Promise<Omit<Body, keyof GivenAsk> & { ask_for: string | null | undefined }> {
  return { ...others, ask_for: await askTerm(scope, { ask_for: asked, password }) }
}

async function shopDomain(scope: ShopScope): Promise<string> {
  const { domain } = await scope.one<{ domain: string }>(
    'select domain from shops where id = :shop',
  )
  return domain
}

export const shownAskSchema = z.enum(['email', 'password']).nullable().meta({
  description: 'What it asks for before a download or view; null: nothing',
})

/** Of a value of `askOf`. */
export const shownAskOf = (asks: string) => (asks === ASKS_NOTHING ? null : shownAsk(asks))
