// The texts of an action's dialog: its plugin's messages with the present values.
import { type Entry } from '../../../shell/client/plugins.ts'
import { formatMessage, type MessageValues } from '../../../shell/messages/format.ts'
import { type ActionFiles } from '../selection.ts'
import { confirmationOf, type Options } from './action-form.ts'

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
  chosen: ActionFiles,
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

/** The question that is asked before the action runs; null if it would change nothing unasked. */
export function questionOf(
  entry: Entry,
  chosen: ActionFiles,
  options: Options,
): { text: string; button: string } | null {
  const found = confirmationOf(entry, options)
  const lost = lostTags(chosen, options)
  if (!found || (chosen.known && lost.lost_files === 0)) return null
  const values = { ...scalarsOf(options), ...lost, known: chosen.known, count: chosen.count }
  return { text: formatMessage(found.text, values), button: formatMessage(found.button, values) }
}

const SHOWN_TAGS = 6

/** The tags that the files have and the options do not name. */
function lostTags({ files }: ActionFiles, { tags }: Options) {
  const named = new Set(Array.isArray(tags) ? (tags as string[]) : [])
  const lost = files.map((file) => file.tags.filter((tag) => !named.has(tag)))
  const names = [...new Set(lost.flat())]
  const shown = names.slice(0, SHOWN_TAGS).join(', ')
  return {
    lost_files: lost.filter((of) => of.length > 0).length,
    lost_tags: names.length,
    lost_names: names.length > SHOWN_TAGS ? `${shown} …` : shown,
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
function factsOf({ files, known }: ActionFiles): MessageValues {
  const capitals = [...new Set(files.flatMap(({ tags }) => tags))].filter(
    (tag) => tag !== tag.toLowerCase(),
  )
  const shown = capitals.slice(0, SHOWN_SPELLINGS).map((tag) => `${tag} → ${tag.toLowerCase()}`)
  return { known, capitals: shown.join(', ') + (capitals.length > shown.length ? ' …' : '') }
}
