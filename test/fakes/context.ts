// Contexts of plugins for tests of one plugin: the ports that a test passes, and ports that throw
// for the rest.
import { randomUUID } from 'node:crypto'
import { appConfig } from '../../app.config.ts'
import {
  type Entry,
  type Item,
  type OperationContext,
  type Pack,
  type Packs,
  packShelf,
  type WriteContext,
  type FileView,
} from '../../plugins/contract/index.ts'
import { usualSettings } from '../../plugins/contract/settings.ts'
import { createActions } from '../../server/engine/context.ts'

const refuse = (port: string) => (): never => {
  throw new Error(`The test gave the plugin no ${port}`)
}

/** A context whose ports throw, except those in `given`. */
export function writeContext(
  given: Partial<WriteContext> = {},
): WriteContext & Pick<OperationContext, 'documents' | 'listings'> {
  return {
    signal: new AbortController().signal,
    shop: {
      name: 'Harbour',
      domain: 'harbour.myshopify.com',
      settings: {
        auto_map: true,
        match_by: ['sku', 'filename', 'title'],
        match_threshold: 0.8,
        notify_unmapped: true,
        email_on_complete: true,
        email_on_errors: true,
        recipients: ['owner@example.com'],
        sms_on_large_import: false,
        sms_recipients: [],
        time_zone: 'Europe/Berlin',
        watermark: null,
        pack_watermarks: {},
      },
    },
    operation: null,
    request: {},
    limits: {
      file_bytes: 5 * 1024 ** 3,
      large_file_bytes: 500 * 1024 ** 2,
      background: { delete: 100, update: 500 },
      sms_files: 1000,
    },
    catalog: {
      findBySku: refuse('catalog'),
      findBySpelling: refuse('catalog'),
      match: refuse('catalog'),
      rules: () => Promise.resolve([]),
      findProducts: refuse('catalog'),
      findProduct: refuse('catalog'),
    },
    remote: {
      probe: refuse('remote'),
      download: refuse('remote'),
      atMost: refuse('remote'),
      withHeaders: refuse('remote'),
    },
    uploads: { sizeOf: refuse('uploads'), take: refuse('uploads') },
    drop: { sizeOf: refuse('drop'), take: refuse('drop') },
    cloud: { tasksOf: refuse('cloud'), carryOut: refuse('cloud') },
    stage: { write: refuse('stage') },
    stored: { locate: refuse('stored'), backUp: refuse('stored'), relocate: refuse('stored') },
    packs: { find: refuse('packs'), read: refuse('packs') },
    contents: { read: refuse('contents') },
    bytes: {
      sizeOf: refuse('bytes'),
      find: refuse('bytes'),
      withFile: refuse('bytes'),
      withFolder: refuse('bytes'),
      readTexts: refuse('bytes'),
    },
    sandbox: { run: refuse('sandbox') },
    virusScanner: { scan: refuse('virusScanner') },
    actions: createActions(appConfig({}).plugins),
    delivery: {
      order: { name: '#1001', confirmation_number: 'X1Y2Z3', ordered_at: '2026-03-01T12:00:00Z' },
      buyer: { name: 'Ann O’Brien', email: 'ann@example.com', locale: 'en' },
      quantityOf: () => 1,
      notifyShop: refuse('delivery'),
    },
    licences: {
      find: refuse('licences'),
      assign: refuse('licences'),
      keysOf: refuse('licences'),
    },
    pastOrders: { count: refuse('pastOrders'), import: refuse('pastOrders') },
    programs: { preview: refuse('programs'), call: refuse('programs') },
    documents: {
      connection: refuse('documents'),
      written: refuse('documents'),
      send: refuse('documents'),
    },
    listings: {
      files: refuse('listings'),
      links: refuse('listings'),
      size: refuse('listings'),
      zip: refuse('listings'),
    },
    ...given,
  }
}

/** The same for steps on the whole operation. */
export function operationContext(
  given: Partial<OperationContext> & Pick<OperationContext, 'notify'>,
): OperationContext {
  return {
    ...writeContext(given),
    artifacts: { write: refuse('artifacts') },
    progress: { show: () => Promise.resolve() },
    ...given,
  }
}

/** An item of an import: the draft of a file, with the shop's defaults. */
export function importItem(
  id: string,
  given: {
    file?: Partial<FileView>
    entry?: Partial<Entry>
    staged?: Item['staged']
    position?: number
  } = {},
): Item {
  const filename = given.entry?.filename ?? given.file?.filename ?? `${id}.pdf`
  return {
    id,
    position: given.position ?? 0,
    staged: given.staged ?? null,
    wanted: null,
    entry: {
      filename,
      source: { type: 'url', url: 'https://files.example.com/file.pdf' },
      on_conflict: 'error',
      ...given.entry,
    },
    file: {
      id: null,
      filename,
      version: null,
      size_bytes: null,
      content_type: null,
      tags: [],
      mappings: [],
      ...usualSettings(),
      expiry_days: 60,
      download_limit: 5,
      cdn: true,
      packs: [],
      wanted_sku: null,
      created_at: null,
      ...given.file,
    },
  }
}

/** An item of a bulk operation: an existing file. */
export function fileItem(id: string, file: Partial<FileView> = {}, position = 0): Item {
  const item = importItem(id, {
    file: { version: 1, size_bytes: 1000, content_type: 'application/pdf', ...file },
    position,
  })
  return { ...item, entry: null, file: { ...item.file, id: file.id ?? randomUUID() } }
}

/** The port of a shop with these packs. */
export function packsPort(packs: readonly Pack[]): Packs {
  const shelf = packShelf(packs)
  return {
    find: (pack) =>
      Promise.resolve(('id' in pack ? shelf.get(pack.id) : shelf.named(pack.name)) ?? null),
    read: () => Promise.resolve(shelf),
  }
}
