// Exports files' records as one CSV or JSON document. It changes nothing.
import { z } from 'zod'
import {
  type BaseContext,
  dayAt,
  definePlugin,
  EXPORT_COLUMNS,
  type ExportColumn,
  FILE_SETTINGS,
  forEntrySettings,
  type OperationView,
  say,
  sayPlain,
} from '../contract/index.ts'

/**
 * Columns that are left out by default: addresses for security, ids and digests because people have
 * no use for them, and settings that few files have.
 */
const ON_REQUEST: readonly ExportColumn[] = [
  'id',
  'view',
  'view_limit',
  'view_days',
  'paid_by',
  'sha256',
  'available_from',
  'available_after_days',
  'first_use_hours',
  'customer_tag',
  'buyer_text',
  'ask_for',
  'visibility',
  'cdn',
  'download_notification',
  'download_tracking',
  'allowed_referrers',
  'sample_pages',
  'sample_seconds',
  'pack',
  'link_url',
  'url',
]
const USUAL = EXPORT_COLUMNS.filter((column) => !ON_REQUEST.includes(column))

const COLUMN_LABELS: Record<ExportColumn, string> = {
  id: 'File ID',
  filename: 'Filename',
  size_bytes: 'File size',
  upload_date: 'Upload date',
  products: 'Product mappings',
  tags: 'Tags',
  downloads: 'Download count',
  paid_by: 'Paid by',
  ...forEntrySettings((name) => FILE_SETTINGS[name].entry.title),
  pack: 'Pack',
  sha256: 'SHA-256 checksum',
  link_url: 'Addresses of links',
  url: 'File URLs',
}

const options = z.strictObject({
  format: z
    .enum(['csv', 'json'])
    .default('csv')
    .meta({
      title: 'Format',
      choices: {
        csv: 'CSV, for spreadsheets and for importing again',
        json: 'JSON, for programs',
      },
    }),
  columns: z
    .array(z.enum(EXPORT_COLUMNS))
    .min(1, sayPlain('Choose at least one column'))
    .max(EXPORT_COLUMNS.length)
    .default(USUAL)
    .meta({
      title: 'Columns',
      missing: 'Choose at least one column',
      help: 'JSON always contains the id.',
      choices: COLUMN_LABELS,
      hints: {
        id: 'With it, a changed list can be imported again and changes these files.',
        paid_by: 'The email addresses of the buyers of its orders.',
        url: 'Left out by default: everyone who has the list could use them.',
      },
    }),
})

type Options = z.output<typeof options>

const TYPES = { csv: 'text/csv', json: 'application/json' } as const

export const exportFiles = definePlugin({
  id: 'export-files',
  kind: 'act',
  title: 'Export files',
  actions: [
    {
      group: 'deliver',
      labels: {
        action: 'Export files',
        menu: 'Export',
        title: 'Export',
        button: 'Export {count, plural, one {# file} other {# files}}',
        running: 'Exporting {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} exported',
        result: 'exported',
        note: 'The document is kept with the operation, in Operations, and can be downloaded there again.',
      },
      fits: { places: ['files', 'list'] },
      preview: 'none',
    },
  ],
  options,
  undo: 'none',
  needs: ['artifacts', 'listings'],
  scope: 'operation',
  ledger: false,
  document: true,
  permission: 'files:read',
  summary: ({ format, columns }) =>
    columns.length === 1
      ? say('{format} with {column}', { format: format.toUpperCase(), column: columns.join(', ') })
      : say('{format} with {count, plural, one {# column} other {# columns}}', {
          format: format.toUpperCase(),
          count: columns.length,
        }),
  async *plan(operation, wanted, context) {
    context.signal.throwIfAborted()
    const { total } = operation
    yield say('{name}: {count, plural, one {# file} other {# files}}', {
      name: nameOf(operation, wanted, context.shop),
      count: total,
    })
  },
  async run(operation, wanted, { artifacts, listings, shop, signal }) {
    signal.throwIfAborted()
    const { format } = wanted
    const bytes = listings.files(format, columnsOf(wanted), signal)
    await artifacts.write(nameOf(operation, wanted, shop), TYPES[format], bytes)
    return {}
  },
})

const nameOf = (
  { started_at }: OperationView,
  { format }: Options,
  { settings }: BaseContext['shop'],
) => `files-${dayAt(started_at, settings.time_zone)}.${format}`

/** The columns of the export. JSON objects always have their ids, which identify them. */
const columnsOf = ({ format, columns }: Options): ExportColumn[] =>
  format === 'json' ? ['id', ...columns] : columns
