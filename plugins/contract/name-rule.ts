// A shop's rules that map files by their names: `WS-*`. Names are compared like filenames, without
// regard to case, with and without their extension.
import {
  ANY,
  type NamePattern,
  type NameRuleKind,
  writeNamePattern,
} from '../_page/name-patterns.ts'
import { nameKey } from '../_page/name-key.ts'
import { extensionOf } from './condition.ts'
import type { NewFilesChoice } from './item.ts'
import { say, type Text } from './text.ts'

export { NAME_RULE_KINDS, parseNamePattern, writeNamePattern } from '../_page/name-patterns.ts'
export type { NamePattern } from '../_page/name-patterns.ts'

export interface NameRule extends NamePattern {
  /** Null: the product is that of `sku_template`. */
  product_id: string | null
  /** Null: the whole product. */
  variant_id: string | null
  /** A SKU in which `{1}` is the text of the first `*`; null: the rule names its product. */
  sku_template: string | null
  /** Whether the files go to past buyers of the product; null: as the product says. */
  new_files: NewFilesChoice | null
}

export const matchesRule = (pattern: NamePattern, filename: string): boolean =>
  wildcardsIn(pattern, filename) !== null

/**
 * The SKU that a rule's template means for a file.
 * @returns '' if the name does not match, or if all of the SKU is empty
 */
export function skuOfRule(rule: NamePattern, template: string, filename: string): string {
  const texts = wildcardsIn(rule, filename)
  if (!texts) return ''
  return template
    .replaceAll(VARIABLE, (_, number: string) => texts[Number(number) - 1] ?? '')
    .trim()
}

/** `{1}` … `{9}`. */
const VARIABLE = /\{([1-9])\}/g

/** The highest variable that a template contains; 0: none. */
export const lastVariableOf = (template: string): number =>
  Math.max(0, ...[...template.matchAll(VARIABLE)].map(([, number]) => Number(number)))

export const wildcardCountOf = (pattern: string): number =>
  pattern.replaceAll(/\*+/g, ANY).split(ANY).length - 1

/** What each `*` of the pattern is in this name, as it is written there; null: no match. */
function wildcardsIn(pattern: NamePattern, filename: string): readonly string[] | null {
  const name = filename.normalize('NFC')
  const extension = extensionOf(filename)
  const stem = extension === '' ? name : name.slice(0, name.lastIndexOf('.'))
  const texts = nameKey(writeNamePattern(pattern)).split(ANY)
  return wildcardsOf(texts, stem) ?? (stem === name ? null : wildcardsOf(texts, name))
}

/** Compares the texts between the `*` from left to right, so that no pattern takes long. */
function wildcardsOf(texts: readonly string[], name: string): string[] | null {
  const key = nameKey(name)
  // Lower case may be longer, as that of “İ” is.
  const written = key.length === name.length ? name : key
  const [first = '', ...others] = texts
  const last = others.pop()
  if (last === undefined) return key === first ? [] : null
  const end = key.length - last.length
  if (!key.startsWith(first) || !key.endsWith(last) || end < first.length) return null
  const wildcards: string[] = []
  let from = first.length
  for (const text of others) {
    const at = key.indexOf(text, from)
    if (at === -1 || at + text.length > end) return null
    wildcards.push(written.slice(from, at))
    from = at + text.length
  }
  return [...wildcards, written.slice(from, end)]
}

const REASONS: Readonly<Record<NameRuleKind, (text: string) => Text>> = {
  starts: (text) => say('The shop’s rule: names that start with {text}', { text }),
  contains: (text) => say('The shop’s rule: names that contain {text}', { text }),
  is: (text) => say('The shop’s rule: the name {text}', { text }),
  pattern: (text) => say('The shop’s rule: names like {text}', { text }),
}

/** The reason of a mapping. */
export const reasonOfRule = ({ kind, text }: NamePattern): Text => REASONS[kind](text)
