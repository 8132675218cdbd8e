// Phrases for conditions that follow a noun: “files tagged guide”, “type PDF; not tagged marked”.
import { type Condition, type FileFilter } from '../client/types.ts'
import { andText, orText } from '../labels/list.ts'
import { dayText } from '../labels/time.ts'
import { t } from '../messages/t.ts'

export const CHANNEL_IDS = ['upload', 'csv', 'api', 'drop', 'cloud', 'feed'] as const
const CHANNEL_TEXTS: ReadonlyMap<string, string> = new Map([
  ['upload', t('Upload')],
  ['csv', t('CSV')],
  ['api', t('API')],
  ['drop', t('Drop folder')],
  ['cloud', t('Cloud')],
  ['feed', t('Feed')],
])
/** The channel’s name; an unknown one is its id. */
export const channelText = (id: string): string => CHANNEL_TEXTS.get(id) ?? id

type Texts = (string | false | undefined)[]

/**
 * The phrases of the conditions that are about more than words, type, size and products.
 * @param textsOf the phrases of an alternative
 */
export function furtherTexts(
  condition: Condition,
  textsOf: (part: FileFilter) => string[],
  locale?: string,
): string[] {
  const { tags_any = [], tags_none = [], product_tag, pack_none, any } = condition
  const texts: Texts = [
    tags_any.length > 0 && t('tagged {list}', { list: orText(tags_any) }),
    tags_none.length > 0 && t('not tagged {list}', { list: orText(tags_none) }),
    ...nameTexts(condition),
    product_tag && t('of a product tagged {tag}', { tag: product_tag }),
    pack_none !== undefined && (pack_none ? t('in no pack') : t('in a pack')),
    ...originTexts(condition),
    ...usageTexts(condition, locale),
    any && alternativesText(any.map((part) => andText(textsOf(part)))),
  ]
  return texts.filter((text) => typeof text === 'string' && text !== '') as string[]
}

function alternativesText(texts: readonly string[]): string {
  const [only = '', ...others] = texts.filter((text) => text !== '')
  return others.length === 0 ? only : t('either {list}', { list: orText([only, ...others]) })
}

const nameTexts = ({ name_begins, name_ends, name_like }: Condition): Texts => [
  name_begins && t('named “{name}”', { name: `${name_begins}*` }),
  name_ends && t('named “{name}”', { name: `*${name_ends}` }),
  name_like && t('named “{name}”', { name: name_like }),
]

function originTexts({ channel = [], folder, version_above, linked, delivered }: Condition): Texts {
  return [
    channel.length > 0 && t('imported through {list}', { list: orText(channel.map(channelText)) }),
    folder && t('from the cloud folder {folder}', { folder }),
    version_above !== undefined && t('above version {version, number}', { version: version_above }),
    linked !== undefined && (linked ? t('with a link') : t('never linked')),
    delivered !== undefined && (delivered ? t('delivered') : t('never delivered')),
  ]
}

function usageTexts(condition: Condition, locale?: string): Texts {
  const { changed_before, changed_after, downloaded_before, downloaded_after } = condition
  const day = (text: string) => ({ day: dayText(text.slice(0, 10), locale) })
  return [
    changed_after && t('changed after {day}', day(changed_after)),
    changed_before && t('last changed before {day}', day(changed_before)),
    downloaded_after && t('downloaded after {day}', day(downloaded_after)),
    downloaded_before && t('last downloaded before {day}', day(downloaded_before)),
  ]
}
