// Finds the texts for people in records of the server: of GET /api/plugins, /api/channels and of
// built-in workflows.

const TEXTS = new Set(
  'title plural description label help why text button one many placeholder suffix missing absent'.split(
    ' ',
  ),
)
/** Records whose values are all texts. */
const RECORDS = new Set(['labels', 'choices', 'hints', 'titles', 'advice'])
/** Values of options: texts in them are data. */
const DATA = new Set(['preset', 'set', 'default', 'start', 'when', 'const', 'enum', 'id'])

/** The record with `change(text)` instead of each text. */
export const mapTexts = <T>(record: T, change: (text: string) => string): T =>
  mapped(record, change, false) as T

function mapped(value: unknown, change: (text: string) => string, texts: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => mapped(one, change, false))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]: [string, unknown]) => {
      // A choice can have the name of a data field: `id`.
      if (!texts && DATA.has(key)) return [key, part]
      if (typeof part === 'string') return [key, texts || TEXTS.has(key) ? change(part) : part]
      if (key === 'properties') return [key, eachOption(part, change)]
      return [key, mapped(part, change, RECORDS.has(key))]
    }),
  )
}

/** The keys are names of options: an option named `choices` is not a record of texts. */
const eachOption = (options: unknown, change: (text: string) => string) =>
  Object.fromEntries(
    Object.entries(options as object).map(([name, schema]) => [
      name,
      mapped(schema, change, false),
    ]),
  )
