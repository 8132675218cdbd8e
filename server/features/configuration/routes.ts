// The configuration of a shop as documents: workflows, scheduled tasks, rules, settings of the drop
// folder and of mail, texts of mails, saved CSV mappings and templates of tags.
import { z } from 'zod'
import { flag, say } from '../../../plugins/contract/index.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../core/errors.ts'
import { storedMessage } from '../../core/texts.ts'
import { readText } from '../../http/body.ts'
import { callerOf } from '../../http/call-endpoint.ts'
import { endpointsOf, type Endpoint, type Request } from '../../http/endpoint.ts'
import { errorSchema, messageText } from '../../http/schemas.ts'
import { differenceRecord, differenceSchema } from '../workflows/difference.ts'
import {
  applyDocument,
  applyDocuments,
  storedDocuments,
  type AppliedDocument,
  type ApplyParts,
} from './apply.ts'
import { MAX_DOCUMENT_BYTES, tagOfDocument, writeDocument } from './document-text.ts'
import { recordOf, type DocumentContext, type DocumentKind, type StoredDocument } from './kind.ts'
import { KINDS } from './kinds.ts'
import { filePlaces } from './places.ts'
import { recordOfWorkflow, workflowKind } from './workflow-kind.ts'

export interface ConfigurationParts {
  engine: Pick<Engine, 'plugins'>
  /** An endpoint by its address. */
  endpointOf: (address: string) => Endpoint
}

const MAX_DOCUMENTS = 500
const YAML_TYPES = ['yaml', 'application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml']

const workflows = endpointsOf({ tag: 'Workflows' })
const settings = endpointsOf({ tag: 'Settings', scope: 'settings:write' })

type AnyRequest = Pick<Request<unknown, unknown, unknown>, 'caller' | 'ctx' | 'signal'>

const partsFor = (
  { engine, endpointOf }: ConfigurationParts,
  { caller, ctx, signal }: AnyRequest,
): ApplyParts => ({
  scope: caller.scope,
  plugins: engine.plugins,
  callIn: (scope) => callerOf(endpointOf, { caller: { ...caller, scope }, ctx, signal }),
})

const contextFor = (parts: ConfigurationParts, request: AnyRequest): DocumentContext => {
  const { scope, plugins, callIn } = partsFor(parts, request)
  return { scope, plugins, call: callIn(scope) }
}

export const configurationRoutes = (parts: ConfigurationParts): Endpoint[] => [
  ...(['yaml', 'json'] as const).map((form) => readWorkflowDocument(parts, form)),
  saveWorkflowDocument(parts),
  readAll(parts),
  apply(parts),
]

const status = z
  .enum(['created', 'changed', 'unchanged', 'refused'])
  .describe('`unchanged`: the shop has it like this already, and nothing was saved')
const differences = z.array(differenceSchema).describe('What it changes, in words')
const tagField = z.string().nullable()

const readWorkflowDocument = (parts: ConfigurationParts, form: 'yaml' | 'json') =>
  workflows(form === 'yaml' ? 'GET /api/workflows/{id}.yaml' : 'GET /api/workflows/{id}.json', {
    summary: form === 'yaml' ? 'Read a workflow as a document' : 'Read the same document as JSON',
    description:
      'Packs, lists of keys, products (by SKU), accounts, connections, webhooks and other workflows have their names. It has no secrets.',
    scope: 'operations:read',
    replies: {
      200: {
        description: 'The document. Its ETag is for `If-Match` of a `PUT`',
        schema: null,
        type: form === 'yaml' ? 'application/yaml' : 'application/json',
      },
    },
    handler: async (request) => {
      const { ctx, params } = request
      const context = contextFor(parts, request)
      const { id } = params as { id: string }
      const record = await recordOf(context.call, 'GET /api/workflows/{id}', { id })
      const stored = recordOfWorkflow(record)
      const [document = {}] = await workflowKind.documents(context, [stored])
      ctx.set('ETag', `"${tagOfDocument(document)}"`)
      ctx.set('Cache-Control', 'no-store')
      ctx.type = form === 'yaml' ? 'application/yaml; charset=utf-8' : 'json'
      ctx.body =
        form === 'yaml'
          ? writeDocument(document, workflowKind.comments?.(stored))
          : JSON.stringify(document)
      ctx.status = 200
      if (ctx.fresh) ctx.status = 304
      return null
    },
  })

const appliedWorkflow = z
  .object({
    status,
    id: z.string().nullable().describe('null: it is not in the shop'),
    name: z.string(),
    differences,
  })
  .meta({ id: 'AppliedWorkflow' })

const saveWorkflowDocument = (parts: ConfigurationParts) =>
  workflows('PUT /api/workflows/by-name/{name}', {
    summary: 'Save a workflow from a document: create it, or change the one with this name',
    description: `The body is YAML (\`application/yaml\`) or JSON, at most ${MAX_DOCUMENT_BYTES / 1024} KB; another \`name\` in it renames the workflow. \`If-Match\` takes the ETag of the document that was read. Every problem is told with its place and line.`,
    scope: 'settings:write',
    query: z.strictObject({
      dry_run: flag.optional().describe('Tells what would change, and changes nothing'),
    }),
    readsBody: true,
    replies: {
      200: { description: 'What changed, or would change', schema: appliedWorkflow },
      412: { description: 'It was changed since it was read', schema: errorSchema },
      422: { description: 'Every problem, with its line', schema: errorSchema },
    },
    handler: async (request) => {
      const { ctx, params, query } = request
      const { name } = params as { name: string }
      const text = await readText(ctx, {
        maxBytes: MAX_DOCUMENT_BYTES,
        types: [...YAML_TYPES, 'json'],
        message: say('Send YAML (Content-Type: application/yaml) or JSON'),
      })
      const known = ctx.get('If-Match') || undefined
      const isDryRun = query.dry_run === true
      const context = partsFor(parts, request)
      const given = { file: '', text, known, named: name, only: 'workflow' }
      const applied = await applyDocument(context, given, isDryRun)
      return {
        ...(applied.tag === null ? {} : { headers: { ETag: `"${applied.tag}"` } }),
        body: {
          status: applied.status,
          // A new one is not kept by a dry run.
          id: isDryRun && applied.status === 'created' ? null : applied.id,
          name: applied.name,
          differences: applied.differences.map(differenceRecord),
        },
      }
    },
  })

const shopName = z.string().describe('The domain of the shop')

const configurationSchema = z
  .object({
    shop: shopName,
    data: z.array(
      z.object({
        kind: z.string(),
        name: z.string().nullable().describe('null: the shop has one of this kind'),
        file: z.string().describe('Where it is kept in a folder of files'),
        text: z.string().describe('The document as YAML'),
        tag: z.string().describe('For `known`, when it is applied'),
      }),
    ),
    left_out: z.array(z.string()).describe('Kinds that the key may not read'),
  })
  .meta({ id: 'Configuration' })

const readAll = (parts: ConfigurationParts) =>
  settings('GET /api/configuration', {
    summary: 'Read the configuration of the shop as documents',
    description:
      'Workflows, scheduled tasks, rules of products, settings of the drop folder and of mail, texts of mails, saved CSV mappings and templates of tags. They have names in place of ids, and no secrets.',
    query: z.strictObject({
      kind: z.enum(KINDS.map(({ kind }) => kind) as [string, ...string[]]).optional(),
    }),
    replies: { 200: { description: 'All documents', schema: configurationSchema } },
    handler: async (request) => {
      const { caller, query } = request
      const context = contextFor(parts, request)
      const leftOut: string[] = []
      const data: z.output<typeof configurationSchema>['data'] = []
      for (const kind of KINDS) {
        if (query.kind !== undefined && query.kind !== kind.kind) continue
        const stored = await readable(context, kind)
        if (stored) data.push(...documentRecords(kind, stored))
        else leftOut.push(kind.kind)
      }
      return { body: { shop: caller.shop.domain, data, left_out: leftOut } }
    },
  })

/** The documents of a kind; null: the key may not read them. */
async function readable(
  context: DocumentContext,
  kind: DocumentKind,
): Promise<StoredDocument[] | null> {
  try {
    return await storedDocuments(context, kind)
  } catch (error) {
    if (error instanceof AppError && error.code === 'missing_scope') return null
    throw error
  }
}

function documentRecords(kind: DocumentKind, stored: readonly StoredDocument[]) {
  const places = filePlaces(
    kind,
    stored.map(({ record }) => record.name),
  )
  return stored.map(({ record, document }, at) => ({
    kind: kind.kind,
    name: record.name,
    file: places[at] ?? '',
    text: writeDocument(document, kind.comments?.(record)),
    tag: tagOfDocument(document),
  }))
}

const givenSchema = z.strictObject({
  file: z.string().max(500).default('').describe('Its name, for the answer'),
  text: z.string().optional().describe('The document as YAML or JSON'),
  document: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The document, instead of `text`'),
  known: z
    .string()
    .max(100)
    .nullable()
    .optional()
    .describe('The tag of what it replaces; null: there is none. Absent: it is not compared'),
})

const appliedSchema = z.object({
  file: z.string(),
  kind: z.string().nullable(),
  name: z.string().nullable(),
  id: z.string().nullable().describe('null: the shop has one of this kind, or none'),
  status,
  tag_before: tagField.describe('null: there was none'),
  tag: tagField.describe('Of what it is now, in a dry run of what it would be'),
  differences,
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      message_text: messageText,
      details: errorSchema.shape.error.shape.details,
    })
    .nullable(),
})

const apply = (parts: ConfigurationParts) =>
  settings('POST /api/configuration', {
    summary: 'Apply documents to the shop',
    description: `Each document creates what it names, or changes it, whole or not at all; the others are not affected by one that is refused. What no document names stays. A dry run tests all of them together. At most ${MAX_DOCUMENTS}, each up to ${MAX_DOCUMENT_BYTES / 1024} KB.`,
    query: z.strictObject({
      dry_run: flag.optional().describe('Tells what would change, and changes nothing'),
    }),
    body: z
      .strictObject({ documents: z.array(givenSchema).min(1).max(MAX_DOCUMENTS) })
      .meta({ id: 'ConfigurationRequest' }),
    replies: {
      200: {
        description: 'What became of each document',
        schema: z
          .object({ shop: shopName, data: z.array(appliedSchema) })
          .meta({ id: 'AppliedConfiguration' }),
      },
    },
    handler: async (request) => {
      const { caller, body, query } = request
      const given = body.documents.map(({ file, text, document, known }) => ({
        file,
        text: text ?? JSON.stringify(document ?? {}),
        known,
      }))
      const isDryRun = query.dry_run === true
      const applied = await applyDocuments(partsFor(parts, request), given, isDryRun)
      const data = applied.map((each) => appliedRecord(each, isDryRun))
      return { body: { shop: caller.shop.domain, data } }
    },
  })

const appliedRecord = (
  applied: AppliedDocument,
  isDryRun: boolean,
): z.output<typeof appliedSchema> => ({
  file: applied.file,
  kind: applied.kind,
  name: applied.name,
  id: isDryRun && applied.status === 'created' ? null : applied.id,
  status: applied.status,
  tag_before: applied.tagBefore,
  tag: applied.tag,
  differences: applied.differences.map(differenceRecord),
  error: applied.error && {
    code: applied.error.code,
    ...storedMessage(applied.error.text),
    details: [...applied.error.details],
  },
})
