// Texts about rules, and the part of names that a rule is offered for.
import { t } from '../../../shell/messages/t.ts'
import { type RulePattern } from '../calls.ts'

/** `Names that start with WS-` */
export function ruleText({ kind, text }: RulePattern): string {
  if (kind === 'starts') return t('Names that start with {text}', { text })
  return kind === 'contains'
    ? t('Names that contain {text}', { text })
    : t('The name {text}', { text })
}

const DELIMITERS = /[ \-_.([{]/
const MIN_LENGTH = 2

/**
 * What the names begin with, up to their last common delimiter: `WS-` of `WS-001.pdf` and
 * `WS-2.pdf`. Of one name: up to its first delimiter, or the name itself.
 */
export function commonStart(names: readonly string[]): RulePattern {
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
