// The condition of a step as a sentence: `Only PDF files over 10 MB`.
import { filterTexts } from '../../shell/files/filter-labels.ts'
import { typeText } from '../../shell/files/labels.ts'
import { type Condition } from '../../shell/client/workflows.ts'
import { andText, orText } from '../../shell/labels/list.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'

/** The condition as a sentence; null: the step applies to every file. */
export function conditionSentence(condition: Condition): string | null {
  const { type = [] } = condition
  const rest = andText(restrictionsOf(condition))
  if (type.length === 0) return rest === '' ? null : t('Only files {rest}', { rest })
  const types = typesText(type)
  return rest === '' ? t('Only {types}', { types }) : t('Only {types} {rest}', { types, rest })
}

const GROUPS: ReadonlyMap<string, string> = new Map([
  ['document', t('documents')],
  ['image', t('images')],
  ['video', t('videos')],
  ['audio', t('audio files')],
  ['archive', t('archives')],
])

/** `PDF or ZIP files or images` */
function typesText(types: readonly string[]): string {
  const extensions = types.filter((type) => !GROUPS.has(type)).map(typeText)
  const files = extensions.length > 0 ? [t('{types} files', { types: orText(extensions) })] : []
  return orText([...files, ...types.flatMap((type) => GROUPS.get(type) ?? [])])
}

/** What follows “files”: `over 10 MB`, `tagged guide`. */
function restrictionsOf({
  search,
  larger_than,
  smaller_than,
  type: _,
  ...rest
}: Condition): string[] {
  return [
    ...(search ? [t('with “{search}” in the name or a tag', { search })] : []),
    ...sizeTexts({ larger_than, smaller_than }),
    ...filterTexts(rest),
  ]
}

interface Sizes {
  larger_than: number | undefined
  smaller_than: number | undefined
}

function sizeTexts({ larger_than: above, smaller_than: below }: Sizes): string[] {
  if (above !== undefined && below !== undefined)
    return [t('between {from} and {to}', { from: sizeText(above), to: sizeText(below) })]
  if (above !== undefined) return [t('over {size}', { size: sizeText(above) })]
  return below === undefined ? [] : [t('under {size}', { size: sizeText(below) })]
}
