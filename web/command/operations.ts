// `run`, `undo` and `wait`: operations, which the server runs.
import { listOption, textOption, type Command, type Context, type Values } from './context.ts'
import { dataOf } from './errors.ts'
import { EXIT, UsageError, type ExitCode } from './exit.ts'
import { filterOf, jsonOf, pairOf } from './filter.ts'
import type { Schemas } from './paths.ts'
import type { Operation } from './types.ts'

type Selection = NonNullable<Schemas['OperationRequest']['select']>
type Plugin = Schemas['Plugin']
type What = { action: string; plugin: Plugin } | { workflow: string; plugin: null }

export const SELECTION_OPTIONS = {
  filter: { type: 'string', multiple: true },
  file: { type: 'string', multiple: true },
  all: { type: 'boolean' },
} as const

/** The chosen files; all files must be asked for by name. Throws `UsageError`. */
export function selectionOf(values: Values): Selection {
  const [filters, files] = [listOption(values, 'filter'), listOption(values, 'file')]
  const ways = [filters.length > 0, files.length > 0, values.all === true].filter(Boolean)
  if (ways.length !== 1) throw new UsageError('Give --filter, --file, or --all for all files')
  return files.length > 0 ? { file_ids: files } : { filter: filterOf(filters) }
}

export const runCommand: Command = {
  about: 'run an action or a workflow on files, after a preview',
  help: `stevedore run ACTION | WORKFLOW --filter NAME=VALUE … [options]

Shows what would change and asks before it does. ACTION is an id like
tag-files; without it, all of them are listed. WORKFLOW is a name or an id.

  --filter NAME=VALUE  files of the shop, as in the list: tags=spring,
                       mapped=false, type=pdf, older_than_days=365 …
  --file ID            a file; more than once for several
  --all                all files
  --option NAME=VALUE  an option of the action: mode=add, tags=a,b
  --options JSON       all of them
  --dry-run            only the preview, which is then discarded
  --yes                without asking
  --json               one JSON object a line

  stevedore run tag-files --filter type=pdf --option mode=add --option tags=docs`,
  options: {
    ...SELECTION_OPTIONS,
    option: { type: 'string', multiple: true },
    options: { type: 'string' },
    'dry-run': { type: 'boolean' },
    yes: { type: 'boolean' },
  },
  run: async (context) => {
    const { given, values, client, terminal } = context
    const [name] = given
    if (name === undefined) return listActions(context)
    const select = selectionOf(values)
    const what = await findWhat(context, name)
    const options = optionsOf(values, what.plugin)
    const started = await client.POST('/api/operations', {
      body: {
        ...('action' in what ? { action: what.action } : { workflow: what.workflow }),
        select,
        options,
        dry_run: true,
      },
    })
    const preview = await waitFor(context, dataOf(started).id)
    await showPreview(context, preview)
    const answer = await wanted(context, preview)
    if (answer !== 'yes') {
      await cancel(context, preview)
      if (answer === 'nobody')
        throw new UsageError('Nobody can be asked here: give --yes, or --dry-run')
      terminal.note('Nothing was changed')
      return EXIT.all
    }
    const params = { path: { id: preview.id } }
    dataOf(await client.POST('/api/operations/{id}/confirm', { params }))
    return reportEnd(context, await waitFor(context, preview.id))
  },
}

async function listActions({ client, terminal }: Context): Promise<ExitCode> {
  const { data } = dataOf(await client.GET('/api/plugins'))
  for (const { id, title, works_on } of data)
    if (works_on === 'files' || works_on === 'trash' || works_on === 'all')
      terminal.result({ event: 'action', id, title }, `${id.padEnd(18)} ${title}`)
  for await (const { id, name, kind } of client.all('/api/workflows'))
    if (kind === 'bulk')
      terminal.result({ event: 'workflow', id, name }, `${id}  workflow “${name}”`)
  return EXIT.all
}

async function findWhat({ client }: Context, name: string): Promise<What> {
  const { data: plugins } = dataOf(await client.GET('/api/plugins'))
  const plugin = plugins.find(({ id }) => id === name)
  if (plugin) return { action: name, plugin }
  const found: string[] = []
  for await (const workflow of client.all('/api/workflows'))
    if (workflow.id === name || workflow.name === name) found.push(workflow.id)
  const [workflow] = found
  if (workflow === undefined || found.length > 1)
    throw new UsageError(
      workflow === undefined
        ? `There is no action or workflow ${name}. See: stevedore run`
        : `Several workflows have the name ${name}: give the id of one`,
    )
  return { workflow, plugin: null }
}

/** Throws `UsageError`. */
function optionsOf(values: Values, plugin: Plugin | null): Record<string, unknown> {
  const whole = textOption(values, 'options')
  const options = whole === undefined ? {} : jsonOf(whole, '--options')
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new UsageError('--options is a JSON object')
  const properties = (plugin?.options as Described | undefined)?.properties ?? {}
  const given = listOption(values, 'option').map((one) => {
    const [name, text] = pairOf(one, '--option')
    const described = Object.hasOwn(properties, name) ? properties[name] : undefined
    return [name, typed(name, text, described?.type)]
  })
  return { ...options, ...Object.fromEntries(given) }
}

/** The part of JSON Schema that says which type an option has. */
interface Described {
  properties?: Record<string, { type?: unknown }>
}

function typed(name: string, text: string, type: unknown): unknown {
  if (type === 'string') return text
  if (type === 'array' && !text.startsWith('[')) return text.split(',').map((one) => one.trim())
  if (type === undefined && !/^[[{"]|^(true|false|null|-?\d+(\.\d+)?)$/.test(text)) return text
  return jsonOf(text, `--option ${name}`)
}

/** Items that a preview shows on a terminal. */
const SHOWN = 10

async function showPreview({ client, terminal }: Context, preview: Operation): Promise<void> {
  const { foreseen, total, skipped, failed, intentions } = preview
  terminal.result(
    { event: 'preview', operation_id: preview.id, total, skipped, failed, foreseen, intentions },
    foreseen
      ? `${preview.workflow_title}: ${foreseen.changed} of ${total} files would change, ${foreseen.unchanged} would not, ${skipped} would be skipped`
      : `${preview.workflow_title}: ${total} files`,
  )
  for (const one of intentions) terminal.line(one)
  const { data } = dataOf(
    await client.GET('/api/operations/{id}/items', {
      params: { path: { id: preview.id }, query: { limit: SHOWN } },
    }),
  )
  for (const { filename, before, after, error } of data)
    terminal.line(`  ${filename}  ${error ? error.message : changeText(before, after)}`)
  if (total > data.length && data.length > 0) terminal.line(`  … and ${total - data.length} more`)
}

const changeText = (before: unknown, after: unknown): string =>
  after === null
    ? 'stays as it is'
    : `${JSON.stringify(before ?? {})} → ${JSON.stringify(after)}`.slice(0, 160)

async function wanted(
  { values, terminal, signal }: Context,
  { status }: Operation,
): Promise<'yes' | 'no' | 'nobody'> {
  if (values['dry-run'] === true || status !== 'previewed') return 'no'
  if (values.yes === true) return 'yes'
  const answer = await terminal.confirm('Do it?', signal)
  return answer === null ? 'nobody' : answer ? 'yes' : 'no'
}

async function cancel({ client }: Context, { id, actions }: Operation): Promise<void> {
  if (actions.includes('cancel'))
    await client.POST('/api/operations/{id}/cancel', { params: { path: { id } } })
}

/** Waits with a progress bar. */
export async function waitFor(context: Context, id: string): Promise<Operation> {
  const { client, terminal } = context
  const ended = await client.wait(id, {
    onChange: ({ done, failed, skipped, total, workflow_title }) =>
      terminal.progress(done + failed + skipped, total, workflow_title),
  })
  terminal.clear()
  return ended
}

/** Reports the end of an operation, and what failed. */
export async function reportEnd(context: Context, operation: Operation): Promise<ExitCode> {
  const { id, status, total, done, failed, skipped, unchanged } = operation
  context.terminal.result(
    { event: 'operation', ...operation },
    `${operation.workflow_title}: ${status}, ${done} of ${total} done, ${failed} failed, ${skipped} skipped, ${unchanged} unchanged (${id})`,
  )
  if (failed > 0) await reportItems(context, id, 'failed')
  const isGood = failed === 0 && !operation.stopped && !BAD.has(status)
  return isGood ? EXIT.all : EXIT.some
}

const BAD: ReadonlySet<string> = new Set(['failed', 'partial', 'cancelled'])

/** A line for each item; resolves with the number of those that failed. */
export async function reportItems(
  { client, terminal }: Context,
  id: string,
  status?: 'failed',
): Promise<number> {
  let failed = 0
  const query = status ? { status: [status] } : {}
  for await (const item of client.all('/api/operations/{id}/items', query, { id })) {
    if (item.status === 'failed') failed++
    const reason = [item.error, ...item.warnings].find((one) => one !== null)
    terminal.result(
      { event: 'item', ...item },
      `${item.status.padEnd(10)} ${item.filename}${reason ? `: ${reason.message}` : ''}`,
    )
  }
  return failed
}

const idOf = ({ given }: Context): string => {
  const [id] = given
  if (id === undefined) throw new UsageError('Name an operation: import_… or op_…')
  return id
}

export const undoCommand: Command = {
  about: 'undo an operation',
  help: `stevedore undo OPERATION [--json]

Restores what an operation changed, within 7 days, and waits for its end.
The id of an operation is in its address, and in what other commands write.

  stevedore undo op_0199c2f5d2c07f0a9b7e3f4a5b6c7d09`,
  options: {},
  run: async (context) => {
    const params = { path: { id: idOf(context) } }
    const answer = await context.client.POST('/api/operations/{id}/undo', { params })
    return reportEnd(context, await waitFor(context, dataOf(answer).id))
  },
}

export const waitCommand: Command = {
  about: 'wait for the end of an operation',
  help: `stevedore wait OPERATION [--json]

Waits until an operation or an import has ended, and tells what failed.
Exit code 1 if a file failed or the operation was cancelled.

  stevedore wait import_0199c2f5d2c07f0a9b7e3f4a5b6c7d08`,
  options: {},
  run: async (context) => reportEnd(context, await waitFor(context, idOf(context))),
}
