// The tools that only read: files, products, links, deliveries, and what operations did.
import { z } from 'zod'
import { AppError } from '../../core/errors.ts'
import { filterSchema } from '../../files/filter.ts'
import { buyerTools } from './buyer-tools.ts'
import { operationAnswer } from './operation-answer.ts'
import { defineTool, shownFields, listedRows, type Json, type Tool } from './tool.ts'

const cursor = z.string().max(500).optional().describe('`next_cursor` of the answer before')
const limit = (most: number) =>
  z.int().min(1).max(most).optional().describe(`At most this many, up to ${most}; absent: 20`)
const USUAL = 20

const FILE_FIELDS = [
  'id',
  'filename',
  'size_bytes',
  'content_type',
  'tags',
  'products',
  'pack',
  'downloads',
  'created_at',
  'updated_at',
  'deleted_at',
  'problem',
] as const

const findFiles = defineTool({
  kind: 'read',
  name: 'find_files',
  title: 'Find files',
  description:
    'Files of the shop that match a filter, with how many match. The same filter selects files in plan_action.',
  input: z.strictObject({
    filter: filterSchema.optional(),
    limit: limit(100),
    cursor,
  }),
  answer: async ({ filter = {}, ...page }, { read }) => {
    const found = await read('/api/files', { query: { ...filter, limit: USUAL, ...page } })
    return {
      ...shownFields(found, ['total', 'total_is_exact', 'next_cursor']),
      files: listedRows(found).map((file) => shownFields(file, FILE_FIELDS)),
    }
  },
})

const describeFile = defineTool({
  kind: 'read',
  name: 'describe_file',
  title: 'Describe a file',
  description: 'A file with its settings, products and versions, and what happened to it lately.',
  input: z.strictObject({ file_id: z.string().describe('file_…') }),
  answer: async ({ file_id: id }, { read }) => {
    const [file, history] = [
      await read('/api/files/{id}', { params: { id } }),
      await read('/api/files/{id}/history', { params: { id }, query: { limit: USUAL } }),
    ]
    return { file, history: listedRows(history) }
  },
})

const findProducts = defineTool({
  kind: 'read',
  name: 'find_products',
  title: 'Find products',
  description: 'Products of the catalog by name, SKU or barcode, with their ids.',
  input: z.strictObject({ search: z.string().min(1).max(255), limit: limit(50), cursor }),
  answer: async (asked, { read }) => {
    const found = await read('/api/products', { query: { limit: USUAL, ...asked } })
    return { products: listedRows(found), next_cursor: found['next_cursor'] }
  },
})

const productsWithoutFiles = defineTool({
  kind: 'read',
  name: 'list_products_without_files',
  title: 'List products that sell and have no file',
  description:
    'Products that were sold in the last 90 days, need no shipping, and give their buyers no file yet.',
  input: z.strictObject({}),
  answer: async (_asked, { read }) => ({
    products: listedRows(await read('/api/unfiled-products')),
  }),
})

const LINK_FIELDS = [
  'id',
  'file_id',
  'pack_id',
  'filename',
  'email',
  'status',
  'expires_at',
  'download_limit',
  'downloads',
  'created_at',
] as const

const findLinks = defineTool({
  kind: 'read',
  name: 'find_links',
  title: 'Find download links',
  description:
    'Links that were created for files, packs or addresses, with their state. Addresses of links are only in the answer of the plan that created them.',
  input: z.strictObject({
    email: z.string().max(320).optional().describe('Created for this address'),
    file_id: z.string().optional().describe('file_…'),
    status: z
      .enum(['active', 'not_released', 'expired', 'exhausted', 'revoked', 'withdrawn'])
      .optional(),
    limit: limit(100),
    cursor,
  }),
  answer: async (asked, { read }) => {
    const found = await read('/api/links', { query: { limit: USUAL, ...asked } })
    return {
      links: listedRows(found).map((link) => shownFields(link, LINK_FIELDS)),
      next_cursor: found['next_cursor'],
    }
  },
})

const listActions = defineTool({
  kind: 'read',
  name: 'list_actions',
  title: 'List actions and workflows',
  description:
    'What plan_action can do with files. With `action` also the JSON Schema of its options.',
  input: z.strictObject({
    action: z.string().max(100).optional().describe('The id of one action: with its options'),
  }),
  answer: async ({ action }, { read }) => {
    const plugins = listedRows(await read('/api/plugins')).filter(isAction)
    if (action !== undefined) {
      const found = plugins.find(({ id }) => id === action)
      if (!found) throw new AppError('not_found')
      return { action: { ...actionOf(found), options: found['options'] } }
    }
    const workflows = listedRows(await read('/api/workflows'))
    return {
      actions: plugins.map(actionOf),
      workflows: workflows
        .filter(({ kind, built_in }) => kind === 'bulk' && built_in !== true)
        .map((one) => shownFields(one, ['id', 'name', 'title', 'description', 'problems'])),
    }
  },
})

const isAction = ({ actions }: Json): boolean => Array.isArray(actions) && actions.length > 0

const actionOf = (plugin: Json): Json => shownFields(plugin, ['id', 'title', 'help', 'undo'])

const describeOperation = defineTool({
  kind: 'read',
  name: 'describe_operation',
  title: 'Describe an operation, or wait for it',
  description:
    'The state of an operation, import or plan, with the first results of its files. `wait_seconds`: waits until it has ended, or its preview is ready.',
  input: z.strictObject({
    operation_id: z.string().describe('op_… or import_…'),
    wait_seconds: z.int().min(0).max(25).optional(),
    item_status: z
      .enum(['pending', 'running', 'done', 'failed', 'skipped', 'cancelled'])
      .optional()
      .describe('Only files with this result'),
    limit: limit(100),
    cursor,
  }),
  answer: async ({ operation_id: id, wait_seconds, item_status, ...page }, context) => {
    const operation = await context.settled(id, wait_seconds ?? 0)
    const status = item_status === undefined ? {} : { status: item_status }
    return operationAnswer(context, operation, { limit: USUAL, ...page, ...status })
  },
})

const listOperations = defineTool({
  kind: 'read',
  name: 'list_operations',
  title: 'List operations',
  description:
    'The last operations of the shop, newest first: what was done, by whom, and how it ended.',
  input: z.strictObject({
    status: z
      .enum(['previewed', 'queued', 'running', 'paused', 'success', 'partial', 'failed'])
      .optional(),
    search: z.string().max(255).optional().describe('Its title, action or channel contains this'),
    limit: limit(50),
    cursor,
  }),
  answer: async (asked, { read }) => {
    const found = await read('/api/operations', { query: { limit: USUAL, ...asked } })
    const names = ['id', 'action', 'workflow_title', 'label', 'status', 'total', 'done', 'failed']
    const more = ['skipped', 'requested_by', 'created_at', 'finished_at', 'undo_until']
    return {
      operations: listedRows(found).map((one) => shownFields(one, [...names, ...more])),
      next_cursor: found['next_cursor'],
    }
  },
})

export const readTools: readonly Tool[] = [
  findFiles,
  describeFile,
  findProducts,
  productsWithoutFiles,
  findLinks,
  ...buyerTools,
  listActions,
  listOperations,
  describeOperation,
]
