// Imports a list of addresses: the server reads, checks and fetches it.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Context } from './context.ts'
import { dataOf, errorFrom } from './errors.ts'
import { EXIT, UsageError, type ExitCode } from './exit.ts'
import type { ImportOptions } from './import-options.ts'
import { reportItems, waitFor } from './operations.ts'
import type { Schemas } from './paths.ts'

type CsvFile = Schemas['CsvFile']

/** Choices of files, which a list states in its columns. */
const OF_FILES = ['skuFromName', 'packFromFolder', 'sendSame'] as const

export async function importList(
  context: Context,
  place: string,
  options: ImportOptions,
): Promise<ExitCode> {
  const { terminal, client } = context
  if (OF_FILES.some((name) => options[name]) || options.pack || options.tags.length > 0)
    throw new UsageError('A list states SKUs, packs and tags in its columns')
  const list = await sendList(context, place)
  const path = { id: list.id }
  if (list.missing.length > 0) {
    terminal.note(`The list has no column for ${list.missing.join(', ')}`)
    return EXIT.wrong
  }
  const body = { on_conflict: options.onConflict }
  dataOf(await client.POST('/api/csv/{id}/check', { params: { path }, body }))
  const checked = await untilChecked(context, list.id)
  for await (const { severity, row, column, message, code } of client.all(
    '/api/csv/{id}/problems',
    {},
    path,
  ))
    terminal.result(
      { event: 'problem', severity, row, column, message, code },
      `${severity} in row ${row}${column === null ? '' : `, ${column}`}: ${message}`,
    )
  const { check } = checked
  terminal.line(
    `${checked.rows} rows: ${check?.import_rows ?? 0} to import, ${check?.update_rows ?? 0} to change, ${check?.error_rows ?? 0} with errors`,
  )
  const isWrong = (check?.error_rows ?? 0) > 0
  if (options.dryRun || (isWrong && !options.onlyValid)) {
    await client.DELETE('/api/csv/{id}', { params: { path } })
    if (isWrong && !options.dryRun) terminal.note('Correct the list, or give --only-valid')
    return isWrong ? EXIT.some : EXIT.all
  }
  const started = await client.POST('/api/csv/{id}/start', {
    params: { path },
    body: {
      only_valid: options.onlyValid,
      ...(options.notify === undefined ? {} : { notify: options.notify }),
    },
  })
  dataOf(started)
  const { job_id, update_job_id } = await readList(context, list.id)
  let code: ExitCode = isWrong ? EXIT.some : EXIT.all
  for (const id of [job_id, update_job_id])
    if (id) {
      await waitFor(context, id)
      if ((await reportItems(context, id)) > 0) code = EXIT.some
    }
  return code
}

/** A first line of the file says itself what applies to all entries. */
const HAS_ABOUT = /^\s*\{\s*"import"\s*:/

/** Imports the entries in the lines of a file as one job. */
export async function importLines(
  context: Context,
  place: string,
  options: ImportOptions,
): Promise<ExitCode> {
  if (OF_FILES.some((name) => options[name]) || options.pack || options.tags.length > 0)
    throw new UsageError('An entry states its SKUs, pack and tags in its fields')
  if (options.dryRun || options.watch || options.onlyValid)
    throw new UsageError('--dry-run, --watch and --only-valid are for folders and tables')
  const bytes = await bytesOf(place)
  const about = JSON.stringify({ on_conflict: options.onConflict, notify: options.notify })
  const first = HAS_ABOUT.test(bytes.subarray(0, 1000).toString()) ? '' : `{"import":${about}}\n`
  const response = await context.client.fetch('/api/files/import', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson', Prefer: 'respond-async' },
    body: Buffer.concat([Buffer.from(first), bytes]),
  })
  if (!response.ok) throw await errorFrom(response)
  const { job_id } = (await response.json()) as Schemas['Import']
  await waitFor(context, job_id)
  return (await reportItems(context, job_id)) > 0 ? EXIT.some : EXIT.all
}

const bytesOf = (place: string): Promise<Buffer<ArrayBuffer>> =>
  readFile(place).catch(() => {
    throw new UsageError(`There is no file ${place}`)
  })

async function sendList({ client }: Context, place: string): Promise<CsvFile> {
  const bytes = await bytesOf(place)
  const name = encodeURIComponent(path.basename(place))
  const response = await client.fetch(`/api/csv?filename=${name}`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/csv' },
    body: bytes,
  })
  if (!response.ok) throw await errorFrom(response)
  return (await response.json()) as CsvFile
}

const readList = async ({ client }: Context, id: string): Promise<CsvFile> =>
  dataOf(await client.GET('/api/csv/{id}', { params: { path: { id } } }))

const POLL_MS = 500

async function untilChecked(context: Context, id: string): Promise<CsvFile> {
  const { requests, terminal } = context
  for (;;) {
    const list = await readList(context, id)
    if (list.status !== 'checking') {
      terminal.clear()
      return list
    }
    const { urls = 0, urls_total: total = 0 } = list.check ?? {}
    terminal.progress(urls, total, 'checking the list')
    await requests.sleep(POLL_MS)
  }
}
