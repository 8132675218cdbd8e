// An operation as the tools answer it: what it does or did, in few fields, and the first of its files.
import { shownFields, listedRows, type Json, type ToolContext } from './tool.ts'

const FIELDS = [
  'id',
  'kind',
  'action',
  'workflow_title',
  'label',
  'status',
  'preview',
  'discarded',
  'actions',
  'total',
  'done',
  'failed',
  'skipped',
  'unchanged',
  'cancelled',
  'percentage',
  'requested_by',
  'created_at',
  'finished_at',
  'undo_until',
  'undoes',
  'undone_by',
  'cannot_undo',
  'intentions',
  'foreseen',
  'stopped',
  'warnings',
] as const

const ITEM_FIELDS = ['position', 'status', 'filename', 'file_id', 'error', 'warnings'] as const

export const operationPage = (baseUrl: string, operation: string): string =>
  `${baseUrl}/operations/${operation}`

/** @param asked which of its items */
export async function operationAnswer(
  context: Pick<ToolContext, 'read' | 'baseUrl' | 'scopes'>,
  operation: Json,
  asked: Json,
): Promise<Json> {
  const { read, baseUrl } = context
  const id = String(operation['id'])
  const items = await read('/api/operations/{id}/items', { params: { id }, query: asked })
  const artifact = operation['artifact'] as { filename: string; url: string } | null
  return {
    operation: {
      ...shownFields(operation, FIELDS),
      steps: (operation['steps'] as Json[]).map((step) => shownFields(step, ['title', 'summary'])),
      page: operationPage(baseUrl, id),
      ...(artifact
        ? { document: { filename: artifact.filename, url: baseUrl + artifact.url } }
        : {}),
    },
    files: listedRows(items).map((item) => ({
      ...shownFields(item, ITEM_FIELDS),
      ...(item['after'] ? { before: item['before'], after: item['after'] } : {}),
    })),
    ...(await createdLinks(context, operation)),
    next_cursor: items['next_cursor'],
  }
}

/** The addresses of the links that it created, for a key that may create links. */
async function createdLinks(
  { read, scopes }: Pick<ToolContext, 'read' | 'scopes'>,
  { id, action, status }: Json,
): Promise<Json> {
  const isDone = status === 'success' || status === 'partial'
  if (action !== 'create-links' || !isDone) return {}
  if (!scopes.has('links:write')) return {}
  const links = await read('/api/links', { query: { operation_id: id, limit: 100 } })
  return {
    links: listedRows(links).map((link) =>
      shownFields(link, [
        'id',
        'file_id',
        'filename',
        'url',
        'email',
        'expires_at',
        'download_limit',
      ]),
    ),
  }
}
