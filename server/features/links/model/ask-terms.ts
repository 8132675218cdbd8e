// What a link asks before a download, as requests give it: a password is hashed immediately.
import { z } from 'zod'
import {
  downloadPassword,
  downloadPasswordHash,
  type GivenAsk,
} from '../../../../plugins/contract/index.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { ASKS_NOTHING } from './links.ts'

const CHOICES = [ASKS_NOTHING, 'email', 'password'] as const

/** The fields of a request about links. */
export const askFields = {
  ask_for: z
    .enum(CHOICES)
    .nullable()
    .optional()
    .describe(
      'What the link asks for before a download or view: nothing, the buyer’s email address, or a `password`; null: what the file asks for',
    ),
  password: downloadPassword.optional().meta({
    description: 'The password that it asks for. It cannot be read again',
    sensitive: true,
  }),
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

export const shownAskSchema = z
  .enum(['email', 'password'])
  .nullable()
  .describe('What it asks for before a download or view; null: nothing')
