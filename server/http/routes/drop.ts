// Drop folders: how to connect, the accounts, what waits in the folders, who connected last.
import { z } from 'zod'
import { UNSAFE_CHARACTERS } from '../../../plugins/contract.ts'
import {
  changeAccount,
  changePassword,
  changeSettings,
  createAccount,
  deleteAccount,
  listAccounts,
  readAccount,
  readSettings,
  type DropAccount,
} from '../../channels/drop/accounts.ts'
import { listConnections } from '../../channels/drop/connections.ts'
import { listFiles, type ListedDropFile } from '../../channels/drop/listing.ts'
import { homeOf } from '../../channels/drop/paths.ts'
import { publicKey } from '../../channels/drop/public-keys.ts'
import { parseRange } from '../../channels/drop/sign-in.ts'
import type { DropAddress } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { requirePublicId, toPublicId } from '../../ids.ts'
import { fromCursor, text, toCursor } from '../cursors.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { errorSchema, listOf, shortPage, timestamp } from '../schemas.ts'

const MOST_RANGES = 50
const MOST_KEYS = 20

const name = z
  .string()
  .trim()
  .min(1, 'Give it a name')
  .max(100, 'A name has at most 100 characters')
  .refine((value) => !UNSAFE_CHARACTERS.test(value), 'A name cannot contain control characters')
const range = z
  .string()
  .max(50)
  .refine(
    (value) => isRange(value),
    'Write an address or a CIDR, like 203.0.113.7 or 2001:db8::/32',
  )
const keyInput = z
  .strictObject({ name, key: z.string().max(8000) })
  .superRefine((value, context) => {
    if (publicKey(value.name, value.key) === null)
      context.addIssue({
        code: 'custom',
        path: ['key'],
        message: 'Paste the whole line of the .pub file',
      })
  })

const accountFields = {
  enabled: z.boolean().optional().meta({ description: 'Switched off, nobody gets in with it' }),
  allowed_addresses: z
    .array(range)
    .max(MOST_RANGES)
    .optional()
    .meta({ description: 'CIDR; empty: any address' }),
  public_keys: z
    .array(keyInput)
    .max(MOST_KEYS)
    .optional()
    .meta({ description: 'For SFTP; replaces those there' }),
}
const createBody = z.strictObject({ name, ...accountFields }).meta({ id: 'DropAccountRequest' })
const changeBody = z
  .strictObject({ name: name.optional(), ...accountFields })
  .meta({ id: 'DropAccountChange' })

const accountSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    username: z.string(),
    enabled: z.boolean(),
    allowed_addresses: z.array(z.string()),
    public_keys: z.array(
      z.object({
        name: z.string(),
        key: z
          .string()
          .meta({ description: 'As OpenSSH writes it; a change sends back those kept' }),
        type: z.string(),
        fingerprint: z.string(),
      }),
    ),
    password_changed_at: timestamp,
    created_at: timestamp,
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'DropAccount' })
const withPassword = accountSchema.extend({
  password: z
    .string()
    .nullable()
    .meta({ description: 'Shown once; null where the same request is answered again' }),
})
const settingsBody = z
  .strictObject({ enabled: z.boolean().optional(), tls_required: z.boolean().optional() })
  .meta({ id: 'DropSettingsChange' })
const dropSchema = z
  .object({
    enabled: z.boolean(),
    tls_required: z.boolean().meta({ description: 'FTP is refused unless it is encrypted' }),
    host: z.string(),
    sftp_port: z.number(),
    ftp_port: z.number(),
    path: z.string(),
  })
  .meta({ id: 'Drop' })
const fileSchema = z
  .object({
    id: z.string(),
    path: z.string().meta({ description: 'From the home' }),
    state: z.enum(['writing', 'partial', 'waiting', 'importing']),
    size_bytes: z.number(),
    modified_at: timestamp,
    quiet_since: timestamp.meta({ description: 'Since when nothing has changed' }),
    protocol: z.string().nullable(),
    account_id: z.string().nullable(),
    writing_since: timestamp.nullable(),
    bytes_per_second: z.number().nullable().meta({ description: 'Of a running transfer' }),
  })
  .meta({ id: 'DropFile' })
const connectionSchema = z
  .object({
    id: z.string(),
    account_id: z.string().nullable(),
    username: z.string(),
    address: z.string(),
    protocol: z.string(),
    refused: z.string().nullable().meta({ description: 'Why; null: it was let in' }),
    connected_at: timestamp,
    ended_at: timestamp.nullable(),
    files: z.number(),
    bytes: z.number(),
  })
  .meta({ id: 'DropConnection' })

const byId = z.strictObject({ id: z.string() })
const reading = { tag: 'Drop folders', scope: ['drop:read', 'drop:write'] } as const
const writing = { tag: 'Drop folders', scope: 'drop:write' } as const
const invalid = { 422: { description: 'Every problem', schema: errorSchema } }

export const dropRoutes = ({ drop }: { drop: DropAddress }): Endpoint[] => [
  ...settingsRoutes(drop),
  ...accountRoutes(),
  ...passwordRoutes(),
  ...listRoutes(),
]

function settingsRoutes({ host, sftpPort, ftpPort }: DropAddress): Endpoint[] {
  const record = (shop: number, settings: { enabled: boolean; tls_required: boolean }) => ({
    ...settings,
    ...{ host, sftp_port: sftpPort, ftp_port: ftpPort, path: `${homeOf(shop)}/` },
  })
  return [
    endpoint({
      ...reading,
      method: 'get',
      path: '/api/drop',
      summary: 'How to connect, and the settings',
      replies: { 200: { description: 'Host, ports, path and settings', schema: dropSchema } },
      handler: async ({ caller: { scope } }) => ({
        body: record(scope.shop, await readSettings(scope)),
      }),
    }),
    endpoint({
      ...writing,
      method: 'patch',
      path: '/api/drop',
      summary: 'Change some of the settings',
      description: 'Open sessions end within a second: what they were let in by may have changed.',
      body: settingsBody,
      replies: { 200: { description: 'All of them', schema: dropSchema }, ...invalid },
      handler: ({ caller, body }) =>
        caller.scope.transaction(async (tx) => ({
          body: record(tx.shop, await changeSettings(tx, body)),
        })),
    }),
  ]
}

function accountRoutes(): Endpoint[] {
  return [
    endpoint({
      ...reading,
      method: 'get',
      path: '/api/drop/accounts',
      summary: 'List drop accounts',
      replies: { 200: { description: 'All of them', schema: listOf(accountSchema) } },
      handler: async ({ caller }) => ({
        body: { data: (await listAccounts(caller.scope)).map(accountRecord), next_cursor: null },
      }),
    }),
    endpoint({
      ...writing,
      method: 'post',
      path: '/api/drop/accounts',
      summary: 'Make a drop account',
      description: 'The password is in this answer and nowhere else.',
      atomic: true,
      body: createBody,
      replies: { 201: { description: 'The account', schema: withPassword }, ...invalid },
      handler: async ({ caller, body }) => {
        const { account, password } = await createAccount(caller.scope, {
          ...body,
          public_keys: keysOf(body),
        })
        const record = accountRecord(account)
        return { status: 201, body: { ...record, password }, kept: { ...record, password: null } }
      },
    }),
    endpoint({
      ...writing,
      method: 'patch',
      path: '/api/drop/accounts/{id}',
      summary: 'Change a drop account',
      description: 'Its open sessions end within a second.',
      params: byId,
      body: changeBody,
      replies: { 200: { description: 'The account', schema: accountSchema }, ...invalid },
      handler: async ({ caller, params, body }) => {
        const id = requirePublicId('account', params.id)
        const account = await changeAccount(caller.scope, id, {
          ...body,
          public_keys: keysOf(body),
        })
        if (!account) throw new AppError('not_found')
        return { body: accountRecord(account) }
      },
    }),
    endpoint({
      ...writing,
      method: 'delete',
      path: '/api/drop/accounts/{id}',
      summary: 'Delete a drop account',
      description: 'Its open sessions end within a second. What it sent stays.',
      params: byId,
      replies: { 204: { description: 'It is deleted', schema: null } },
      handler: async ({ caller, params }) => {
        if (!(await deleteAccount(caller.scope, requirePublicId('account', params.id))))
          throw new AppError('not_found')
        return { status: 204, body: null }
      },
    }),
  ]
}

function passwordRoutes(): Endpoint[] {
  return [
    endpoint({
      ...reading,
      method: 'get',
      path: '/api/drop/accounts/{id}',
      summary: 'Read a drop account',
      params: byId,
      replies: { 200: { description: 'The account', schema: accountSchema } },
      handler: async ({ caller, params }) => {
        const account = await readAccount(caller.scope, requirePublicId('account', params.id))
        if (!account) throw new AppError('not_found')
        return { body: accountRecord(account) }
      },
    }),
    endpoint({
      ...writing,
      method: 'post',
      path: '/api/drop/accounts/{id}/password',
      summary: 'Change the password of a drop account',
      description:
        'The new one is in this answer and nowhere else. Open sessions end within a second.',
      atomic: true,
      params: byId,
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
    }),
  ]
}

function listRoutes(): Endpoint[] {
  const state = z.enum(['writing', 'partial', 'waiting', 'importing']).optional()
  return [
    endpoint({
      ...reading,
      method: 'get',
      path: '/api/drop/files',
      summary: 'List the files in the drop folders',
      query: z.strictObject({ ...shortPage, state }),
      replies: { 200: { description: 'A page, by path', schema: listOf(fileSchema) } },
      handler: async ({ caller, query: { limit, cursor, state } }) => {
        const [folder = '', after = ''] = fromCursor(cursor, [text, text]) ?? []
        const rows = await listFiles(caller.scope, {
          folder,
          after,
          limit: limit + 1,
          state: state ?? null,
        })
        const shown = rows.slice(0, limit)
        const last = shown.at(-1)
        const next = rows.length > limit && last ? toCursor([last.folder, last.name]) : null
        return { body: { data: shown.map(fileRecord), next_cursor: next } }
      },
    }),
    endpoint({
      ...reading,
      method: 'get',
      path: '/api/drop/connections',
      summary: 'List the last 100 connections and refusals, newest first',
      replies: { 200: { description: 'All of them', schema: listOf(connectionSchema) } },
      handler: async ({ caller }) => {
        const rows = await listConnections(caller.scope)
        const data = rows.map((row) => ({
          ...{
            ...row,
            id: toPublicId('connection', row.id),
            connected_at: row.connected_at.toISOString(),
          },
          ended_at: row.ended_at?.toISOString() ?? null,
          account_id: row.account_id === null ? null : toPublicId('account', row.account_id),
        }))
        return { body: { data, next_cursor: null } }
      },
    }),
  ]
}

function isRange(value: string): boolean {
  try {
    parseRange(value)
    return true
  } catch {
    return false
  }
}

const keysOf = ({ public_keys }: { public_keys?: { name: string; key: string }[] | undefined }) =>
  public_keys?.map((one) => publicKey(one.name, one.key)!)

const accountRecord = (account: DropAccount): z.output<typeof accountSchema> => ({
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
  password_changed_at: account.password_changed_at.toISOString(),
  created_at: account.created_at.toISOString(),
  last_used_at: account.last_used_at?.toISOString() ?? null,
})

const fileRecord = (row: ListedDropFile): z.output<typeof fileSchema> => ({
  id: toPublicId('dropped', row.id),
  path: row.folder === '' ? row.name : `${row.folder}/${row.name}`,
  state: row.state!,
  size_bytes: row.size_bytes,
  modified_at: row.modified_at.toISOString(),
  quiet_since: row.quiet_since.toISOString(),
  protocol: row.protocol,
  account_id: row.account_id === null ? null : toPublicId('account', row.account_id),
  writing_since: row.writing_since?.toISOString() ?? null,
  bytes_per_second:
    row.state === 'writing'
      ? Math.round(row.size_bytes / Math.max(row.writing_seconds ?? 1, 1))
      : null,
})
