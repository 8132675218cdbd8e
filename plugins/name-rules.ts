// A shop's rules that map files by their names: `names that start with WS-`. Names are compared
// like filenames, without regard to case.
import { extensionOf, nameKey } from './conditions.ts'
import { say, type Text } from './texts.ts'

export const NAME_RULE_KINDS = ['starts', 'contains', 'is'] as const
export type NameRuleKind = (typeof NAME_RULE_KINDS)[number]

export interface NamePattern {
  /** `is`: the name, with or without its extension. */
  kind: NameRuleKind
  text: string
}

export interface NameRule extends NamePattern {
  product_id: string
  /** Null: the whole product. */
  variant_id: string | null
}

export function matchesRule({ kind, text }: NamePattern, filename: string): boolean {
  const [name, key] = [nameKey(filename), nameKey(text)]
  if (kind === 'starts') return name.startsWith(key)
  if (kind === 'contains') return name.includes(key)
  const extension = extensionOf(filename)
  return name === key || (extension !== '' && name === `${key}.${extension}`)
}

const REASONS: Readonly<Record<NameRuleKind, (text: string) => Text>> = {
  starts: (text) => say('The shop’s rule: names that start with {text}', { text }),
  contains: (text) => say('The shop’s rule: names that contain {text}', { text }),
  is: (text) => say('The shop’s rule: the name {text}', { text }),
}

/** The reason of a mapping. */
export const reasonOfRule = ({ kind, text }: NamePattern): Text => REASONS[kind](text)
