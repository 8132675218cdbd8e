// Texts about a file's changes: before, and after or planned.
import { type ItemMapping, type ItemState } from '../../shell/client/types.ts'
import { SETTING_LABELS } from '../../shell/client/settings.gen.ts'
import { SETTING_NAMES, settingText, type SettingName } from '../../shell/files/settings.ts'
import { numberText, savedText, sizeText } from '../../shell/labels/size.ts'
import { reasonText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'

export interface Change {
  what: string
  /** null: there is nothing to compare with. */
  before: string | null
  after: string | null
}

type Field = SettingName | 'filename' | 'version' | 'size_bytes'
type Fields = {
  [K in Field]: { what: string; text: (value: NonNullable<ItemState[K]> | null) => string }
}

const SETTINGS = Object.fromEntries(
  SETTING_NAMES.map((name) => [
    name,
    { what: SETTING_LABELS[name], text: (value: unknown) => settingText(name, value) },
  ]),
) as Pick<Fields, SettingName>

const FIELDS: Fields = {
  filename: { what: t('Name'), text: (name) => name ?? '' },
  ...SETTINGS,
  version: {
    what: t('Version'),
    text: (version) => (version === null ? t('None') : numberText(version)),
  },
  size_bytes: { what: t('Size'), text: (bytes) => (bytes === null ? '' : sizeText(bytes)) },
}

/** Every difference between the two, in a fixed order; unchanged fields are left out. */
export function changesOf(before: ItemState | null, after: ItemState | null): Change[] {
  if (!after) return []
  const changes: Change[] = []
  const add = (what: string, from: string | null, to: string | null) =>
    changes.push({ what, before: from, after: to })
  if (after.created) add(t('New file'), null, null)
  if (after.replaced) add(t('Replaced the file of this name'), null, null)
  if (after.same_bytes) {
    add(t('The file has the same bytes already'), null, null)
    return changes
  }
  if (after.unpacked !== undefined) add(unpackedText(after.unpacked), null, null)
  if (after.purged) add(t('Deleted permanently'), null, null)
  if (after.deleted !== undefined && after.deleted !== before?.deleted)
    add(after.deleted ? t('Moved to the trash') : t('Restored from the trash'), null, null)
  for (const field of Object.keys(FIELDS) as Field[]) {
    const text = FIELDS[field].text as (value: unknown) => string
    const to = after[field]
    // A new file's name is shown next to its changes.
    if (to === undefined || (after.created && field === 'filename')) continue
    const from = before?.[field] === undefined ? null : text(before[field])
    if (from !== text(to))
      add(
        FIELDS[field].what,
        from,
        field === 'size_bytes' ? sizeWithSaved(before, after) : text(to),
      )
  }
  const { tags, packs, mappings, created_files: made } = after
  if (tags?.added.length) add(t('Tags added'), null, tags.added.join(', '))
  if (tags?.removed.length) add(t('Tags removed'), null, tags.removed.join(', '))
  if (packs?.added.length) add(t('Added to packs'), null, packs.added.join(', '))
  if (packs?.removed.length) add(t('Removed from packs'), null, packs.removed.join(', '))
  if (mappings?.added.length) add(t('Mapped to'), null, titles(mappings.added))
  if (mappings?.removed.length) add(t('No longer mapped to'), null, titles(mappings.removed))
  if (made?.length)
    add(
      t('{count, plural, one {New file} other {# new files}}', { count: made.length }),
      null,
      made.join(', '),
    )
  if (after.link !== undefined) add(t('Download link'), null, null)
  if (after.links !== undefined) add(t('New links'), null, numberText(after.links))
  if (after.orders !== undefined)
    add(
      t('Given to past buyers'),
      null,
      t(
        '{orders, plural, one {# order} other {# orders}} of {buyers, plural, one {# buyer} other {# buyers}}',
        { orders: after.orders, buyers: after.buyers ?? 0 },
      ),
    )
  else if (after.buyers !== undefined) add(t('Emails to buyers'), null, numberText(after.buyers))
  if (after.posted !== undefined) add(t('Sent to a program'), null, null)
  return [...changes, ...quarantineChange(after)]
}

/** How many files an archive had; null: that is known later. */
const unpackedText = (count: number | null): string =>
  count === null
    ? t('Would be unpacked')
    : t('Unpacked: {count, plural, one {# file} other {# files}}', { count })

const quarantineChange = ({ quarantine }: ItemState): Change[] => {
  if (!quarantine) return []
  return 'found' in quarantine
    ? [{ what: t('In quarantine'), before: null, after: quarantine.found }]
    : [{ what: t('Taken out of quarantine'), before: null, after: quarantine.released }]
}

/** `12 MB (74% less)` */
function sizeWithSaved(before: ItemState | null, { size_bytes: to = 0 }: ItemState): string {
  const saved = savedText(before?.size_bytes, to)
  const size = sizeText(to)
  return saved === null ? size : t('{size} ({saved})', { size, saved })
}

const titles = (mappings: readonly ItemMapping[]): string =>
  [...new Set(mappings.map(titleOf))].join(', ')

/** A rule of the shop is named: the merchant may want to change it. */
const titleOf = ({ product_title, method, reason = '', reason_text }: ItemMapping): string =>
  method === 'rule' && reason
    ? `${product_title} (${reasonText({ reason, ...(reason_text && { reason_text }) })})`
    : product_title
