// Rules about names in words: their patterns, their products, and the pattern that is offered for
// some names.
import {
  type NamePattern,
  parseNamePattern,
  writeNamePattern,
} from '../../../../plugins/_page/name-patterns.ts'
import { t } from '../../../shell/messages/t.ts'
import { type MappingRule } from '../calls.ts'
import { variantText } from '../product-labels.ts'

/** The pattern of the API; '': the text is empty. */
export const patternOf = (rule: NamePattern): string =>
  rule.text.replaceAll('*', '') === '' ? '' : writeNamePattern(rule)

/** `Names that start with WS-` */
export function ruleText({ pattern }: Pick<MappingRule, 'pattern'>): string {
  const { kind, text } = parseNamePattern(pattern)
  if (kind === 'starts') return t('Names that start with {text}', { text })
  if (kind === 'contains') return t('Names that contain {text}', { text })
  return kind === 'is' ? t('The name {text}', { text }) : t('Names like {text}', { text })
}

/** The product, or the SKU that the name is made into. */
export const targetText = ({ product_title, variant_title, sku_template }: MappingRule): string =>
  sku_template === null
    ? [product_title, variantText(variant_title)].filter(Boolean).join(' · ')
    : t('The product with the SKU {sku}', { sku: sku_template })

const DELIMITERS = /[ \-_.([{]/
const MIN_LENGTH = 2

/**
 * What the names begin with, up to their last common delimiter: `WS-` of `WS-001.pdf` and
 * `WS-2.pdf`. Of one name: up to its first delimiter, or the name itself.
 */
export function commonStart(names: readonly string[]): NamePattern {
  const [first = '', ...others] = names
  let length = first.length
  for (const name of others) {
    let same = 0
    while (same < length && name[same]?.toLowerCase() === first[same]?.toLowerCase()) same++
    length = same
  }
  if (others.length === 0) {
    const at = first.search(DELIMITERS)
    if (at < MIN_LENGTH || first[at] === '.') return { kind: 'is', text: first }
    return { kind: 'starts', text: first.slice(0, at + 1).trim() }
  }
  const start = first.slice(0, length)
  const end = start.split('').findLastIndex((letter) => DELIMITERS.test(letter))
  const text = (end + 1 > MIN_LENGTH ? start.slice(0, end + 1) : start).trim()
  return { kind: 'starts', text: text.length < MIN_LENGTH ? '' : text }
}
