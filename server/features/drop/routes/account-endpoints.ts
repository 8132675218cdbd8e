// Drop accounts: the users of the FTP/SFTP server.
import { sayPlain } from '../../../../plugins/contract/index.ts'
import { z } from 'zod'
import {
  changeAccount,
  changePassword,
  createAccount,
  deleteAccount,
  listAccounts,
  readAccount,
  type DropAccount,
  type PublicKey,
} from '../accounts.ts'
import { NAME_ENCODINGS } from '../../../../plugins/_page/name-encodings.ts'
import type { KeyTextProblem } from '../../../../plugins/_page/public-key-text.ts'
import { publicKey } from '../public-keys.ts'
import { isRange } from '../addresses.ts'
import type { DropAddress } from '../../../core/configuration/drop-settings.ts'
import { AppError } from '../../../core/errors.ts'
import { requirePublicId, toPublicId } from '../../../core/ids.ts'
import { endpointsOf, type Endpoint } from '../../../http/endpoint.ts'
import { cutPage } from '../../../http/cursors.ts'
import { errorSchema, givenName, listOf, timestamp, pageOfWhole } from '../../../http/schemas.ts'

const MAX_RANGES = 50
const MAX_KEYS = 20
const DAY_MS = 86_400_000

const range = z
  .string()
  .max(50)
  .refine((value) => isRange(value), {
    error: ({ input }) =>
      `“${String(input)}” is not an address or a range, like 203.0.113.7 or 203.0.113.0/24`,
  })
const KEY_PROBLEMS: Readonly<Record<KeyTextProblem | 'several', string>> = {
  private: sayPlain(
    'This is the private key, which must stay on its computer: paste the public key, the line of the .pub file',
  ),
  device: sayPlain('Keys of security devices cannot sign in here: use an Ed25519 or RSA key'),
  weak: sayPlain('DSA keys are too weak: use an Ed25519 or RSA key'),
  several: sayPlain('Send one key in each entry'),
  none: sayPlain('Paste the whole line of the .pub file'),
}
const keyInput = z
  .strictObject({ name: givenName, key: z.string().max(8000) })
  .superRefine((value, context) => {
    const found = publicKey(value.name, value.key)
    if (typeof found === 'string')
      context.addIssue({ code: 'custom', path: ['key'], message: KEY_PROBLEMS[found] })
  })

export const accountFields = {
  enabled: z.boolean().optional().describe('Off: nobody can sign in with it'),
  allowed_addresses: z.array(range).max(MAX_RANGES).optional().describe('CIDR; empty: any address'),
  public_keys: z
    .array(keyInput)
    .max(MAX_KEYS)
    .optional()
    .describe('For SFTP; replaces the current keys'),
  name_encoding: z
    .enum(NAME_ENCODINGS)
    .optional()
    .describe(
      'The encoding of file names of FTP clients that know no UTF-8; UTF-8 is still recognised',
    ),
}
const createBody = z
  .strictObject({ name: givenName, ...accountFields })
  .meta({ id: 'DropAccountRequest' })
const changeBody = z
  .strictObject({ name: givenName.optional(), ...accountFields })
  .meta({ id: 'DropAccountChange' })

export const accountSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    username: z.string(),
    enabled: z.boolean(),
    allowed_addresses: z.array(z.string()),
    public_keys: z.array(
      z.object({
        name: z.string(),
        key: z.string().describe('In OpenSSH’s format; a change must include the keys to keep'),
        type: z.string(),
        fingerprint: z.string(),
      }),
    ),
    name_encoding: z.enum(NAME_ENCODINGS),
    password_changed_at: timestamp,
    password_age_days: z.number().describe('Change it regularly'),
    created_at: timestamp,
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'DropAccount' })
export const password = z
  .string()
  .nullable()
  .describe('Shown once; null in the answer to a repeated request')
const withPassword = accountSchema.extend({ password })
export const dropReading = endpointsOf({ tag: 'Drop folders', scope: ['drop:read', 'drop:write'] })
export const dropWriting = endpointsOf({ tag: 'Drop folders', scope: 'drop:write' })
export const refusedAccount = { 422: { description: 'Every problem', schema: errorSchema } }

export const dropAccountRoutes = ({ schedule }: DropAddress): Endpoint[] => [
  list(),
  create(schedule),
  change(),
  remove(),
  read(),
  renewPassword(),
]

const list = (): Endpoint =>
  dropReading('GET /api/drop/accounts', {
    summary: 'List drop accounts',
    query: z.strictObject(pageOfWhole),
    replies: { 200: { description: 'All of them', schema: listOf(accountSchema) } },
    handler: async ({ caller, query }) => ({
      body: cutPage((await listAccounts(caller.scope)).map(accountRecord), query, ({ id }) => id),
    }),
  })

const create = (schedule: DropAddress['schedule']): Endpoint =>
  dropWriting('POST /api/drop/accounts', {
    logs: { kind: 'drop_account' },
    summary: 'Create a drop account',
    description: 'Only this answer contains the password.',
    atomic: true,
    body: createBody,
    replies: { 201: { description: 'The account', schema: withPassword }, ...refusedAccount },
    handler: async ({ caller, body }) => {
      const { account, password } = await createAccount(
        caller.scope,
        { ...body, public_keys: keysOf(body) },
        schedule,
      )
      const record = accountRecord(account)
      return { status: 201, body: { ...record, password }, kept: { ...record, password: null } }
    },
  })

const change = (): Endpoint =>
  dropWriting('PATCH /api/drop/accounts/{id}', {
    logs: { kind: 'drop_account' },
    summary: 'Change a drop account',
    description: 'Its open sessions end within a second.',
    body: changeBody,
    replies: { 200: { description: 'The account', schema: accountSchema }, ...refusedAccount },
    handler: async ({ caller, params, body }) => {
      const id = requirePublicId('account', params.id)
      const account = await changeAccount(caller.scope, id, {
        ...body,
        public_keys: keysOf(body),
      })
      if (!account) throw new AppError('not_found')
      return { body: accountRecord(account) }
    },
  })

const remove = (): Endpoint =>
  dropWriting('DELETE /api/drop/accounts/{id}', {
    logs: { kind: 'drop_account' },
    summary: 'Delete a drop account',
    description: 'Its open sessions end within a second. Its files stay.',
    replies: { 204: { description: 'It is deleted', schema: null } },
    handler: async ({ caller, params }) => {
      await deleteAccount(caller.scope, requirePublicId('account', params.id))
      return { status: 204, body: null }
    },
  })

const read = (): Endpoint =>
  dropReading('GET /api/drop/accounts/{id}', {
    summary: 'Read a drop account',
    replies: { 200: { description: 'The account', schema: accountSchema } },
    handler: async ({ caller, params }) => {
      const account = await readAccount(caller.scope, requirePublicId('account', params.id))
      if (!account) throw new AppError('not_found')
      return { body: accountRecord(account) }
    },
  })

const renewPassword = (): Endpoint =>
  dropWriting('POST /api/drop/accounts/{id}/password', {
    logs: { kind: 'drop_account', renews: 'password' },
    summary: 'Change the password of a drop account',
    description: 'Only this answer contains the new password. Open sessions end within a second.',
    atomic: true,
    replies: { 200: { description: 'The account', schema: withPassword } },
    handler: async ({ caller, params }) => {
      const changed = await changePassword(caller.scope, requirePublicId('account', params.id))
      if (!changed) throw new AppError('not_found')
      const record = accountRecord(changed.account)
      return {
        body: { ...record, password: changed.password },
        kept: { ...record, password: null },
      }
    },
  })

export const keysOf = ({
  public_keys,
}: {
  public_keys?: { name: string; key: string }[] | undefined
}) => public_keys?.map(checkedKey)

function checkedKey({ name, key }: { name: string; key: string }): PublicKey {
  const found = publicKey(name, key)
  if (typeof found === 'string') throw new Error(`The key ${name} has not been checked`)
  return found
}

export const accountRecord = (account: DropAccount): z.output<typeof accountSchema> => ({
  id: toPublicId('account', account.id),
  name: account.name,
  username: account.username,
  enabled: account.enabled,
  allowed_addresses: account.allowed_addresses,
  public_keys: account.public_keys.map(({ name, type, fingerprint, blob }) => ({
    name,
    key: `${type} ${blob}`,
    type,
    fingerprint,
  })),
  name_encoding: account.name_encoding,
  password_changed_at: account.password_changed_at.toISOString(),
  password_age_days: Math.floor((Date.now() - account.password_changed_at.getTime()) / DAY_MS),
  created_at: account.created_at.toISOString(),
  last_used_at: account.last_used_at?.toISOString() ?? null,
})
