// The credentials of the drop folder in one record: host, ports, path, username. For shops with one
// account; all accounts are at /api/drop/accounts.
import { z } from 'zod'
import { say } from '../../../../plugins/contract/index.ts'
import type { DropAddress } from '../../../core/configuration/drop-settings.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { AppError } from '../../../core/errors.ts'
import { requirePublicId } from '../../../core/ids.ts'
import { publicId } from '../../../core/public-id.ts'
import type { Endpoint } from '../../../http/endpoint.ts'
import { errorSchema, givenName } from '../../../http/schemas.ts'
import { createAccount, listAccounts, readAccount } from '../accounts.ts'
import { homeOf } from '../paths.ts'
import {
  accountFields,
  accountRecord,
  accountSchema,
  refusedAccount,
  keysOf,
  password,
  dropReading,
  dropWriting,
} from './account-endpoints.ts'

const credentials = accountSchema
  .extend({ host: z.string(), ftp_port: z.number(), sftp_port: z.number(), path: z.string() })
  .meta({ id: 'DropCredentials' })
const withPassword = credentials.extend({ password })
const body = z
  .strictObject({ name: givenName.default('Drop account'), ...accountFields })
  .default({ name: 'Drop account' })

export const dropCredentialsRoutes = (drop: DropAddress): Endpoint[] => [read(drop), create(drop)]

const read = (drop: DropAddress): Endpoint =>
  dropReading('GET /api/drop-account', {
    summary: 'Read the credentials of the drop folder',
    description: 'Without the password.',
    query: z.strictObject({
      account: publicId('account', 'a drop account')
        .optional()
        .describe('Absent: the oldest account'),
    }),
    replies: {
      200: { description: 'How to connect', schema: credentials },
      404: { description: 'The shop has no account', schema: errorSchema },
    },
    handler: async ({ caller: { scope }, query }) => {
      const account =
        query.account === undefined
          ? (await listAccounts(scope))[0]
          : await readAccount(scope, requirePublicId('account', query.account))
      if (!account)
        throw new AppError('not_found', { message: say('There is no drop account: create one') })
      return { body: { ...accountRecord(account), ...addressOf(drop, scope) } }
    },
  })

const create = (drop: DropAddress): Endpoint =>
  dropWriting('POST /api/drop-account', {
    logs: { kind: 'drop_account', renews: 'password', verb: 'created' },
    summary: 'Generate credentials of the drop folder',
    description: 'Creates an account. Only this answer contains the password.',
    atomic: true,
    body,
    replies: { 201: { description: 'How to connect', schema: withPassword }, ...refusedAccount },
    handler: async ({ caller: { scope }, body }) => {
      const made = await createAccount(scope, { ...body, public_keys: keysOf(body) }, drop.schedule)
      const record = { ...accountRecord(made.account), ...addressOf(drop, scope) }
      return {
        status: 201,
        body: { ...record, password: made.password },
        kept: { ...record, password: null },
      }
    },
  })

const addressOf = ({ host, sftpPort, ftpPort }: DropAddress, { shop }: ShopScope) => ({
  host,
  ftp_port: ftpPort,
  sftp_port: sftpPort,
  path: `${homeOf(shop)}/`,
})
