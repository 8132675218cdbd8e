// `export`: the list of files, or the files as one ZIP file.
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { textOption, type Command, type Context } from './context.ts'
import { dataOf, errorFrom } from './errors.ts'
import { EXIT, UsageError } from './exit.ts'
import { reportEnd, SELECTION_OPTIONS, selectionOf, waitFor } from './operations.ts'
import type { Operation } from './types.ts'

const FORMATS = ['csv', 'json', 'zip']

export const exportCommand: Command = {
  about: 'export the list of files, or the files as a ZIP',
  help: `stevedore export [--filter NAME=VALUE …] [options]

  --filter NAME=VALUE  only these files: tags=spring, mapped=false …
  --file ID            a file; more than once for several
  --all                all files: the usual
  --format FORMAT      csv (usual), json, or zip: the files themselves
  --columns a,b        of the list: id, filename, size_bytes, tags, sha256 …
  --out FILE           where to write it; - is the standard output

  stevedore export --filter tags=spring --columns id,filename --out spring.csv`,
  options: {
    ...SELECTION_OPTIONS,
    format: { type: 'string' },
    columns: { type: 'string' },
    out: { type: 'string' },
  },
  run: async (context) => {
    const { values, client, terminal } = context
    const format = textOption(values, 'format') ?? 'csv'
    if (!FORMATS.includes(format)) throw new UsageError(`--format is one of ${FORMATS.join(', ')}`)
    const columns = textOption(values, 'columns')?.split(',')
    const isChosen = values.filter !== undefined || values.file !== undefined
    const select = selectionOf(isChosen ? values : { all: true })
    const started = await client.POST('/api/operations', {
      body:
        format === 'zip'
          ? { action: 'zip-files', select, options: {} }
          : {
              action: 'export-files',
              select,
              options: { format, ...(columns ? { columns } : {}) },
            },
    })
    const ended = await waitFor(context, dataOf(started).id)
    if (!ended.artifact) {
      await reportEnd(context, ended)
      return EXIT.some
    }
    const place = await saveArtifact(context, ended.artifact, textOption(values, 'out'))
    if (place !== null)
      terminal.result(
        { event: 'saved', file: place, operation_id: ended.id, files: ended.total },
        `${place}: ${ended.total} files`,
      )
    return EXIT.all
  },
}

/** Saves the document of an operation; null: it was written to the standard output. */
export async function saveArtifact(
  { client, terminal, signal }: Context,
  { url, filename }: NonNullable<Operation['artifact']>,
  out: string | undefined,
): Promise<string | null> {
  const place = out ?? path.basename(filename)
  const isNew = out !== undefined || (await stat(place).catch(() => null)) === null
  if (!isNew) throw new UsageError(`${place} exists: name another file with --out`)
  const response = await client.fetch(url)
  if (!response.ok || !response.body) throw await errorFrom(response)
  const bytes = Readable.fromWeb(response.body as ReadableStream)
  if (out === '-') {
    for await (const chunk of bytes) terminal.raw(chunk as Buffer)
    return null
  }
  // A document that ends early is not left under its name.
  const part = `${place}.part`
  try {
    await pipeline(bytes, createWriteStream(part), { signal })
    await rename(part, place)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  return place
}
