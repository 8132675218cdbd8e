// The options of `import`.
import { listOption, textOption, type Options, type Values } from './context.ts'
import { UsageError } from './exit.ts'
import type { OnConflict } from './types.ts'

export const IMPORT_OPTIONS = {
  'sku-from-name': { type: 'boolean' },
  'pack-from-folder': { type: 'boolean' },
  pack: { type: 'string' },
  tag: { type: 'string', multiple: true },
  'on-conflict': { type: 'string' },
  'send-same': { type: 'boolean' },
  'only-valid': { type: 'boolean' },
  notify: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  watch: { type: 'boolean' },
  settle: { type: 'string' },
} as const satisfies Options

const ON_CONFLICT: readonly OnConflict[] = ['error', 'skip', 'rename', 'overwrite', 'new_version']

export interface ImportOptions {
  skuFromName: boolean
  packFromFolder: boolean
  pack: string | undefined
  tags: string[]
  onConflict: OnConflict
  /** Also files whose bytes a file of another name has. */
  sendSame: boolean
  /** Of a list: rows with errors are left out. */
  onlyValid: boolean
  notify: boolean | undefined
  dryRun: boolean
  watch: boolean
  /** How long a watched file must be unchanged, in milliseconds. */
  settleMs: number
  /** What unfinished uploads were begun with: they are continued with the same alone. */
  choices: string
}

/** Throws `UsageError`. */
export function importOptionsOf(values: Values): ImportOptions {
  const given = textOption(values, 'on-conflict') ?? 'error'
  const onConflict = ON_CONFLICT.find((one) => one === given.replaceAll('-', '_'))
  if (!onConflict)
    throw new UsageError(`--on-conflict is one of ${ON_CONFLICT.join(', ')}, and not ${given}`)
  const settle = Number(textOption(values, 'settle') ?? 10)
  if (!(settle >= 0 && settle <= 3600)) throw new UsageError('--settle is a number of seconds')
  const pack = textOption(values, 'pack')
  const packFromFolder = values['pack-from-folder'] === true
  if (pack !== undefined && packFromFolder)
    throw new UsageError('Give either --pack or --pack-from-folder')
  const tags = listOption(values, 'tag')
    .flatMap((one) => one.split(/[,;]/))
    .map((one) => one.trim())
  const skuFromName = values['sku-from-name'] === true
  return {
    skuFromName,
    packFromFolder,
    pack,
    tags: tags.filter((one) => one !== ''),
    onConflict,
    sendSame: values['send-same'] === true,
    onlyValid: values['only-valid'] === true,
    notify: values.notify === true ? true : undefined,
    dryRun: values['dry-run'] === true,
    watch: values.watch === true,
    settleMs: settle * 1000,
    choices: JSON.stringify({ skuFromName, packFromFolder, pack, tags, onConflict }),
  }
}
