// What the settings of a file mean for its buyers, in sentences, and which settings are left for a
// list because they are rarely set.
import { SETTING_LABELS } from '../../shell/client/settings.gen.ts'
import { type FileDetail } from '../../shell/client/types.ts'
import { customerTagText, releaseText } from '../../shell/files/labels.ts'
import { SETTING_NAMES, settingText, type SettingName } from '../../shell/files/settings.ts'
import { t } from '../../shell/messages/t.ts'

/** The settings that sentences say. */
const TERMS = [
  'download_limit',
  'expiry_days',
  'visibility',
  'view',
  'view_limit',
  'view_days',
  'available_from',
  'available_after_days',
  'first_use_hours',
  'customer_tag',
  'ask_for',
  'buyer_text',
] as const satisfies readonly SettingName[]

type Settings = Pick<FileDetail, (typeof TERMS)[number]>

/** `Buyers can download it 5 times, for 60 days.` */
export function settingSentences(file: Settings): string[] {
  const { first_use_hours, customer_tag, available_from, available_after_days } = file
  return [
    downloadSentence(file),
    ...viewSentence(file),
    file.visibility === 'public'
      ? t('It is public: everyone with its address can download it.')
      : t('Only buyers and people with a link get it.'),
    ...(available_from === null && available_after_days === null
      ? []
      : [t('They get it: {when}.', { when: releaseText(file) })]),
    ...(first_use_hours === null ? [] : [firstUseSentence(first_use_hours)]),
    ...(customer_tag === null ? [] : [`${customerTagText(customer_tag)}.`]),
    ...askSentence(file),
    ...(file.buyer_text === null ? [] : [t('Buyers read: “{text}”', { text: file.buyer_text })]),
  ]
}

function downloadSentence({ download_limit: limit, expiry_days: days, view }: Settings): string {
  if (view === 'view_only') return t('Buyers cannot download it.')
  if (limit === null)
    return days === null
      ? t('Buyers can download it as often as they like, for ever.')
      : t(
          'Buyers can download it as often as they like, for {days, plural, one {# day} other {# days}}.',
          { days },
        )
  return days === null
    ? t('Buyers can download it {limit, plural, one {once} other {# times}}, for ever.', { limit })
    : t(
        'Buyers can download it {limit, plural, one {once} other {# times}}, for {days, plural, one {# day} other {# days}}.',
        { limit, days },
      )
}

const firstUseSentence = (hours: number): string =>
  hours % 24 === 0
    ? t('A link ends {days, plural, one {# day} other {# days}} after its first use.', {
        days: hours / 24,
      })
    : t('A link ends {hours, plural, one {# hour} other {# hours}} after its first use.', { hours })

function viewSentence({ view, view_limit: limit, view_days: days }: Settings): string[] {
  if (view === 'download') return []
  const some =
    limit === null
      ? t('They can view it in the browser.')
      : t('They can view it in the browser {limit, plural, one {once} other {# times}}.', { limit })
  return days === null
    ? [some]
    : [some, t('Views end after {days, plural, one {# day} other {# days}}.', { days })]
}

function askSentence({ ask_for: asked }: Settings): string[] {
  if (asked === null) return []
  return [
    asked === 'email'
      ? t('It asks for their email address first.')
      : t('It asks for a password first.'),
  ]
}

/** Said elsewhere on the page: in sentences, or with the samples. */
const SAID: ReadonlySet<SettingName> = new Set([...TERMS, 'sample_pages', 'sample_seconds'])

/** The other settings with their values: `Tracking`, `On`. */
export const otherSettings = (file: FileDetail): (readonly [string, string])[] =>
  SETTING_NAMES.filter((name) => !SAID.has(name)).map(
    (name) => [SETTING_LABELS[name], settingText(name, file[name])] as const,
  )
