// The hidden sheets of an .ods file, which the library reads like others. Runs only in the sandbox.
import { ownValue } from '../../../plugins/contract.ts'
import { entryOf } from './zip-entry.ts'

/** Styles with what is in them; some are empty tags. */
const STYLES = /<style:style\s(?:[^<>]*\/>|[^<>]*>(?:(?!<\/style:style>)[^])*)/g

/**
 * The names of the sheets that are hidden; none if the archive's directory has another form, such as
 * ZIP64: the library may read it nevertheless.
 */
export function hiddenSheets(ods: Buffer): ReadonlySet<string> {
  try {
    return hiddenIn(entryOf(ods, 'content.xml')?.toString('utf8') ?? '')
  } catch {
    return new Set()
  }
}

function hiddenIn(xml: string): ReadonlySet<string> {
  const hidden = new Set<string>()
  for (const [style] of xml.matchAll(STYLES))
    if (/\bstyle:family="table"/.test(style) && /\btable:display="false"/.test(style))
      hidden.add(attribute(style, 'style:name'))
  const tables = Array.from(xml.matchAll(/<table:table\s[^>]*>/g), ([tag]) => tag)
  return new Set(
    tables
      .filter((tag) => hidden.has(attribute(tag, 'table:style-name')))
      .map((tag) => attribute(tag, 'table:name')),
  )
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

function attribute(tag: string, name: string): string {
  const [, value = ''] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? []
  return value.replaceAll(
    /&(\w+);/g,
    (written, entity: string) => ownValue(ENTITIES, entity) ?? written,
  )
}
