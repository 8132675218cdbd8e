import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { operationContext, writeContext } from '../../test/fakes/context.ts'
import { operationView } from '../../test/fakes/operation.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { ExportColumn, Listings, Notifier } from '../contract/index.ts'
import { exportFiles } from './plugin.ts'

const operation = operationView({
  action: 'export-files',
  title: 'Export files',
  total: 1234,
  items: () => {
    throw new Error('It reads no items')
  },
})
const notify: Notifier = {
  email: () => {
    throw new Error('It sends nothing')
  },
  notice: () => {
    throw new Error('It tells nothing')
  },
  sms: () => {
    throw new Error('It sends nothing')
  },
}

function desk() {
  const asked: { format: string; columns: readonly ExportColumn[] }[] = []
  const documents = new Map<string, string>()
  const listings: Listings = {
    async *files(format, columns) {
      asked.push({ format, columns })
      yield Buffer.from(`${format} of ${columns.join()}`)
    },
    links: () => {
      throw new Error('It lists no links')
    },
    size: () => {
      throw new Error('It measures no files')
    },
    zip: () => {
      throw new Error('It reads no files')
    },
  }
  const artifacts = {
    write: async (filename: string, type: string, bytes: AsyncIterable<Uint8Array>) => {
      documents.set(
        `${filename} ${type}`,
        Buffer.concat((await Array.fromAsync(bytes)) as Buffer[]).toString(),
      )
    },
  }
  return { asked, documents, ports: { listings, artifacts } }
}

pluginSuite(exportFiles, () => {
  const { documents, ports } = desk()
  return Promise.resolve({
    operation,
    context: writeContext(),
    notify,
    ports,
    state: () => [...documents],
  })
})

const run = async (options: Record<string, unknown>) => {
  const { asked, documents, ports } = desk()
  await exportFiles.run(
    operation,
    exportFiles.options.parse(options),
    operationContext({ notify, ...ports }),
  )
  return { columns: asked[0]!.columns, names: [...documents.keys()] }
}

describe('export-files', () => {
  it('has the specification’s columns, and ids and addresses only if requested', async () => {
    expect(await run({})).toEqual({
      columns: [
        'filename',
        'size_bytes',
        'upload_date',
        'products',
        'tags',
        'downloads',
        'expiry_days',
        'download_limit',
      ],
      names: ['files-2026-03-02.csv text/csv'],
    })
    expect((await run({ columns: ['url', 'id'] })).columns).toEqual(['url', 'id'])
  })
  it('writes objects with their ids as JSON', async () => {
    const { columns, names } = await run({ format: 'json', columns: ['filename', 'url'] })
    expect([columns, names]).toEqual([
      ['id', 'filename', 'url'],
      ['files-2026-03-02.json application/json'],
    ])
  })
  it('only reads files, and records no changes of them', () => {
    expect(exportFiles).toMatchObject({ permission: 'files:read', ledger: false, undo: 'none' })
  })
  it('describes in a preview what it would write', async () => {
    const sentences = exportFiles.plan(operation, exportFiles.options.parse({}), writeContext())
    expect(inEnglish(await Array.fromAsync(sentences))).toEqual([
      'files-2026-03-02.csv: 1,234 files',
    ])
  })
  it.each([[{ columns: [] }], [{ columns: ['hash'] }], [{ format: 'xlsx' }]])(
    'refuses %j',
    (options) => {
      expect(exportFiles.options.safeParse(options).success).toBe(false)
    },
  )
})
