// The texts of an action's dialog: its plugin's messages with the present values.
import { type Entry } from '../../../client/plugins.ts'
import { formatMessage, type MessageValues } from '../../../messages/format.ts'
import { type Chosen } from '../selection.ts'
import { type Options } from './action-form.ts'

const SHOWN_SPELLINGS = 6

interface ActionTexts {
  title: string
  /** The label for this many files. */
  button: (count: number) => string
  intro: string | null
  note: string | null
  warning: { tone: 'warning' | 'critical'; title: string; text: string } | null
}

/** `names`: the names of picked values, `product_id_text` for the option `product_id`. */
export function textsOf(
  { action }: Entry,
  chosen: Chosen,
  options: Options,
  names: MessageValues = {},
): ActionTexts {
  const { labels, warning } = action
  const values: MessageValues = {
    ...scalarsOf(options),
    ...names,
    ...factsOf(chosen),
    count: chosen.count,
  }
  const text = (message: string) => formatMessage(message, values)
  const optional = (message: string | null) => (message === null ? null : text(message))
  return {
    title: text(labels.title),
    button: (count) => formatMessage(labels.button, { ...values, count }),
    intro: optional(labels.intro),
    note: optional(labels.note),
    warning: warning && { ...warning, title: text(warning.title), text: text(warning.text) },
  }
}

const scalarsOf = (options: Options): MessageValues =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? [[name, value]]
        : [],
    ),
  )

/**
 * Facts about the selected files: are all of them known to the page, and which of their tags have
 * capitals.
 */
function factsOf({ files, known }: Chosen): MessageValues {
  const capitals = [...new Set(files.flatMap(({ tags }) => tags))].filter(
    (tag) => tag !== tag.toLowerCase(),
  )
  const shown = capitals.slice(0, SHOWN_SPELLINGS).map((tag) => `${tag} → ${tag.toLowerCase()}`)
  return { known, capitals: shown.join(', ') + (capitals.length > shown.length ? ' …' : '') }
}
