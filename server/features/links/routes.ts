// Links: created for files or for a pack, listed with their addresses, exported as CSV.
import { z } from 'zod'
import {
  checkAsk,
  say,
  emailAddress,
  settingChanges,
  type Text,
  textOf,
  sayFixed,
  dayAt,
} from '../../../plugins/contract/index.ts'
import type { Limits } from '../../core/configuration/limits.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError, ERRORS, type ErrorDetail } from '../../core/errors.ts'
import { requireDownloads } from '../../files/quotas.ts'
import { parsePublicId, requirePublicId } from '../../core/ids.ts'
import { firstOf } from '../../core/lazy.ts'
import { readShop } from '../../files/shop-settings.ts'
import type { Secrets } from '../../core/secrets.ts'
import {
  endpointsOf,
  type Caller,
  type Endpoint,
  type Given,
  type Reply,
  type Scope,
  requireScopes,
} from '../../http/endpoint.ts'
import { downloadLimit, errorSchema, expiryDays, listOf, page } from '../../http/schemas.ts'
import { csvText, sendChunks } from '../../http/stream-body.ts'
import { workflowOfAction, startWorkflow } from '../operations/start.ts'
import { acceptedOperation, operationSchema } from '../operations/record.ts'
import { fileIds } from '../operations/selection.ts'
import { channelOf } from '../operations/routes.ts'
import { askFields, askTerm } from './model/ask-terms.ts'
import { listLinks, pagesOfLinks, type LinkFilter } from './model/list.ts'
import type { Link } from './model/links.ts'
import { createLinks, unknownFiles } from './model/creation.ts'
import { createPackLink } from './model/pack-links.ts'
import { readCopied } from './model/copied.ts'
import {
  linkFilterFields,
  linkFilterOf,
  linkRecord,
  linkSchema,
  type LinkReader,
} from './record.ts'

const endpoint = endpointsOf({ tag: 'Links' })

/** Links for more files are created by an operation. */
const MAX_IN_REQUEST = 100
const MAX_PER_FILE = 1000

const { view_limit, view_days } = settingChanges
const terms = {
  expiry_days: expiryDays.optional(),
  download_limit: downloadLimit.optional(),
  view_limit,
  view_days,
}
const email = emailAddress('Send an email address')
  .nullish()
  .transform((address) => address ?? undefined)

const linksBody = (limits: Limits) =>
  z
    .strictObject({
      file_ids: fileIds(limits).optional(),
      pack_id: z
        .string()
        .optional()
        .describe('Instead of files: one link for all files of the pack'),
      ...terms,
      ...askFields,
      email,
      per_file: z
        .array(
          z.strictObject({
            file_id: z.string(),
            ...terms,
            ask_for: z.enum(['nothing', 'email']).optional(),
            email,
          }),
        )
        .max(
          MAX_PER_FILE,
          sayFixed('At most {count} files with terms of their own', { count: MAX_PER_FILE }),
        )
        .optional(),
    })
    .superRefine((body, context) => {
      checkAsk(body, context)
      const { file_ids, pack_id, per_file } = body
      const wrong = (param: string, message: string) =>
        context.addIssue({ code: 'custom', path: [param], message })
      if ((file_ids === undefined) === (pack_id === undefined))
        wrong('file_ids', 'Send either files or a pack')
      if (pack_id !== undefined && per_file)
        wrong('per_file', 'A pack’s link has no terms of single files')
    })
    .meta({ id: 'LinksRequest' })
type LinksBody = z.output<ReturnType<typeof linksBody>>

export interface LinkRouteParts {
  engine: Engine
  limits: Limits
  secrets: Secrets
  baseUrl: string
  clock: () => Date
}

export const linkRoutes = (parts: LinkRouteParts): Endpoint[] => [
  create(parts),
  list(parts),
  exportCsv(parts),
]

const create = (parts: LinkRouteParts) =>
  endpoint('POST /api/links', {
    summary: 'Create download links for files or a pack',
    description: `One link per file, all or none. Absent terms come from the file’s own settings. Above ${MAX_IN_REQUEST} files it is an operation, whose artifact lists the links.`,
    scope: 'links:write',
    atomic: true,
    body: linksBody(parts.limits),
    problems: ({ caller, body }) => problemsOfLinks(caller.scope, body),
    replies: {
      201: { description: 'The links, in the order of `file_ids`', schema: listOf(linkSchema) },
      202: { description: 'An operation creates them; follow `Location`', schema: operationSchema },
      422: { description: 'Every problem', schema: errorSchema },
    },
    handler: async ({ caller, body, idempotencyKey }) => {
      await requireDownloads(caller.scope)
      if (body.file_ids === undefined)
        return made(parts, caller.scope, [await linkOfPack(parts, caller.scope, body)])
      if (termProblems(body).length > 0)
        throw refusedLinks(await problemsOfLinks(caller.scope, body))
      const per_file = body.per_file?.map(({ file_id, ...terms }) => ({
        file_id: requirePublicId('file', file_id),
        ...terms,
      }))
      if (body.file_ids.length > MAX_IN_REQUEST) return operate(parts, caller, body, idempotencyKey)
      const ask_for = await askTerm(caller.scope, body)
      const wanted = { ...body, file_ids: body.file_ids, per_file, ask_for }
      const links = await createLinks(caller.scope, parts.secrets, wanted, parts.clock())
      return made(parts, caller.scope, links)
    },
  })

async function made(
  { baseUrl }: LinkRouteParts,
  scope: ShopScope,
  links: readonly Link[],
): Promise<Reply> {
  const reader = { baseUrl, mayUse: true, copied: await readCopied(scope) }
  return {
    status: 201,
    body: { data: links.map((link) => linkRecord(link, reader)), next_cursor: null },
  }
}

/** Throws `pack_not_found`. */
async function linkOfPack(
  { secrets, clock }: LinkRouteParts,
  scope: ShopScope,
  body: LinksBody,
): Promise<Link> {
  const pack_id = parsePublicId('pack', body.pack_id ?? '')
  if (pack_id === null) throw new AppError('pack_not_found', { param: 'pack_id' })
  const { expiry_days, download_limit, view_limit, view_days, email } = body
  const ask_for = await askTerm(scope, body)
  const terms = { expiry_days, download_limit, view_limit, view_days }
  const wanted = { pack_id, email, ask_for, ...terms }
  return createPackLink(scope, secrets, wanted, clock())
}

const refusedLinks = (details: readonly ErrorDetail[]) =>
  new AppError('validation_failed', { param: firstOf(details).param, details })

/** Problems that the schema cannot see: those of the terms, and unknown files and packs. */
async function problemsOfLinks(scope: ShopScope, body: Given<LinksBody>): Promise<ErrorDetail[]> {
  const { pack_id } = body
  const packId = pack_id === undefined ? undefined : parsePublicId('pack', pack_id)
  const isUnknown =
    packId === null ||
    (packId !== undefined &&
      !(await scope.has('select from packs where shop_id = :shop and id = :packId', { packId })))
  const noPack = textOf(ERRORS.pack_not_found.message)
  const ofTerms = termProblems(body)
  const named = new Set(ofTerms.map(({ param, index }) => `${param} ${index}`))
  const unknown = await unknownFiles(scope, bareIds(body))
  return [
    ...ofTerms,
    ...unknown.filter(({ param, index }) => !named.has(`${param} ${index}`)),
    ...(isUnknown ? [{ param: 'pack_id', code: 'pack_not_found' as const, message: noPack }] : []),
  ]
}

/** Bare UUIDs, also of a list that was not parsed because some of its ids are malformed. */
const bareIds = ({ file_ids = [] }: Given<LinksBody>): readonly (string | undefined)[] =>
  file_ids.map((id) => (id === undefined ? id : (parsePublicId('file', id) ?? id)))

function termProblems(body: Given<LinksBody>): ErrorDetail[] {
  const details: ErrorDetail[] = []
  const wrong = (param: string, index: number, message: Text) =>
    details.push({ index, param, code: 'invalid_value', message })
  const known = new Set<string>()
  for (const [at, id] of bareIds(body).entries()) {
    if (id === undefined) continue
    if (known.has(id)) wrong('file_ids', at, say('This file is named twice'))
    known.add(id)
  }
  const seen = new Set<string>()
  for (const [at, one] of (body.per_file ?? []).entries()) {
    if (one?.file_id === undefined) continue
    const id = parsePublicId('file', one.file_id) ?? ''
    if (body.file_ids && !known.has(id))
      wrong('per_file.file_id', at, say('This file is not in file_ids'))
    else if (seen.has(id)) wrong('per_file.file_id', at, say('This file is named twice'))
    seen.add(id)
  }
  return details
}

const ACTION = 'create-links'

async function operate(
  parts: LinkRouteParts,
  caller: Caller,
  { file_ids: ids = [], pack_id: _, ...options }: LinksBody,
  idempotencyKey: string | undefined,
): Promise<Reply> {
  const details = await unknownFiles(caller.scope, ids)
  if (details.length > 0) throw refusedLinks(details)
  const id = await startWorkflow(
    parts.engine,
    caller.scope,
    workflowOfAction(parts.engine, ACTION, options),
    {
      source: { type: 'files', ids },
      dryRun: false,
      requestedBy: caller.name,
      channel: channelOf(caller),
      idempotencyKey,
      permit: (scopes) => requireScopes(caller, scopes as Scope[]),
    },
  )
  return acceptedOperation(parts, caller.scope, id)
}

const list = (parts: LinkRouteParts) =>
  endpoint('GET /api/links', {
    summary: 'List links, newest first',
    description:
      'Links that a pack’s link gave to its files are listed only with `file_id`. A page may be short, or even empty, and still have a `next_cursor`. Addresses are shown only with `links:write`.',
    scope: ['files:read', 'links:write'],
    query: z.strictObject({ ...page, ...linkFilterFields }),
    replies: { 200: { description: 'A page of links', schema: listOf(linkSchema) } },
    handler: async ({ caller, query: { limit, cursor, ...given } }) => {
      const filter = await knownFilter(caller.scope, linkFilterOf(given))
      const links = await listLinks(
        caller.scope,
        parts.secrets,
        { ...filter, limit, cursor },
        parts.clock(),
      )
      const reader = {
        baseUrl: parts.baseUrl,
        mayUse: caller.scopes.has('links:write'),
        copied: await readCopied(caller.scope),
      }
      return { body: { ...links, data: links.data.map((link) => linkRecord(link, reader)) } }
    },
  })

/** The file, pack or operation of the filter must exist. Throws `not_found`. */
async function knownFilter(scope: ShopScope, filter: LinkFilter): Promise<LinkFilter> {
  const { fileId, packId, operation } = filter
  for (const [table, id] of [
    ['files', fileId],
    ['packs', packId],
    ['operations', operation],
  ] as const) {
    if (id === undefined) continue
    const [known] = await scope.from<{ id: string }>(table).where('id', id).select('id')
    if (!known) throw new AppError('not_found')
  }
  return filter
}

const COLUMNS = [
  'id',
  'filename',
  'url',
  'email',
  'expires_at',
  'download_limit',
  'downloads',
  'status',
  'created_at',
  'view_limit',
  'views',
  'view_expires_at',
] as const

const exportCsv = (parts: LinkRouteParts) =>
  endpoint('GET /api/links/export.csv', {
    summary: 'Export links as CSV',
    description: 'All links that match the filter, newest first, as a download.',
    scope: 'links:write',
    query: z.strictObject(linkFilterFields),
    replies: { 200: { description: 'The links, one in each row', schema: null, type: 'text/csv' } },
    handler: async ({ caller, query, ctx, signal }) => {
      const filter = await knownFilter(caller.scope, linkFilterOf(query))
      const now = parts.clock()
      const { settings } = await readShop(caller.scope)
      ctx.set(
        'Content-Disposition',
        `attachment; filename="links-${dayAt(now, settings.time_zone)}.csv"`,
      )
      ctx.set('Cache-Control', 'no-store')
      ctx.type = 'text/csv; charset=utf-8'
      sendChunks(
        ctx,
        csvText(
          COLUMNS,
          rowsOf(pagesOfLinks(caller.scope, parts.secrets, filter, now, signal), {
            baseUrl: parts.baseUrl,
            mayUse: true,
            copied: await readCopied(caller.scope),
          }),
        ),
      )
      return null
    },
  })

async function* rowsOf(pages: AsyncIterable<readonly Link[]>, reader: LinkReader) {
  for await (const links of pages)
    yield links
      .map((link) => linkRecord(link, reader))
      .map(({ copy_url: url, ...record }) => ({ ...record, url }))
      .map((record) => COLUMNS.map((name) => record[name]))
}
