// `--filter NAME=VALUE`: the conditions of the list of files, with the types that the API takes.
import { UsageError } from './exit.ts'
import type { Schemas } from './paths.ts'

export type FileFilter = NonNullable<Schemas['Schedule']['filter']>

/** A condition of the API that is missing here is a type error. */
const KINDS = {
  search: 'text',
  type: 'list',
  name_begins: 'text',
  name_ends: 'text',
  name_like: 'text',
  name_contains: 'text',
  tags: 'list',
  tags_any: 'list',
  tags_none: 'list',
  mapped: 'flag',
  product: 'text',
  product_tag: 'text',
  pack: 'text',
  pack_none: 'flag',
  larger_than: 'number',
  smaller_than: 'number',
  version_above: 'number',
  channel: 'list',
  drop_account: 'text',
  connection: 'text',
  folder: 'text',
  linked: 'flag',
  delivered: 'flag',
  uploaded_before: 'text',
  uploaded_after: 'text',
  changed_before: 'text',
  changed_after: 'text',
  downloaded_before: 'text',
  downloaded_after: 'text',
  older_than_days: 'number',
  not_downloaded_for_days: 'number',
  any: 'json',
  find: 'text',
  storage: 'text',
  backed_up: 'flag',
  released: 'flag',
  quarantined: 'flag',
  licence_list: 'text',
  deleted: 'flag',
} as const satisfies Record<keyof FileFilter, 'text' | 'list' | 'number' | 'flag' | 'json'>

/** Throws `UsageError`. */
export function filterOf(given: readonly string[]): FileFilter {
  const filter: Record<string, unknown> = {}
  for (const one of given) {
    const [name, text] = pairOf(one, '--filter')
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name as keyof typeof KINDS] : null
    if (kind === null)
      throw new UsageError(
        `There is no filter ${name}. There are: ${Object.keys(KINDS).join(', ')}`,
      )
    filter[name] = valueOf(name, kind, text)
  }
  return filter as FileFilter
}

/** `name=value`. Throws `UsageError`. */
export function pairOf(text: string, option: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`${option} is NAME=VALUE, and not ${text}`)
  return [text.slice(0, at), text.slice(at + 1)]
}

function valueOf(name: string, kind: (typeof KINDS)[keyof typeof KINDS], text: string): unknown {
  if (kind === 'text') return text
  if (kind === 'list') return text.split(',').map((one) => one.trim())
  if (kind === 'json') return jsonOf(text, `--filter ${name}`)
  if (kind === 'flag') {
    if (text !== 'true' && text !== 'false')
      throw new UsageError(`--filter ${name} is true or false, and not ${text}`)
    return text === 'true'
  }
  if (!/^\d+$/.test(text)) throw new UsageError(`--filter ${name} is a number, and not ${text}`)
  return Number(text)
}

export function jsonOf(text: string, option: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${option} is no JSON: ${text}`)
  }
}

/** The filter as query parameters of the list of files. */
export const queryOf = (filter: FileFilter): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [
      name,
      name === 'any' ? JSON.stringify(value) : String(value),
    ]),
  )
