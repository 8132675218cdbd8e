// Gives files of a delivery more time, downloads or views.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import {
  type DeliveredFile,
  type Delivery,
  type DeliveryChange,
  useChangeDelivery,
} from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { AskFields } from '../links/ask-fields.tsx'
import { type AskChange, EMPTY_ASK, readAskChange } from '../links/ask-form.ts'
import { NumberField, type NumberValue } from '../../shell/components/number-field.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { Checkbox, Hint } from '../../shell/ui/index.ts'

interface Props {
  delivery: Delivery
  files: readonly DeliveredFile[]
  onClose: () => void
}

const MAX_DAYS = 36_500
const MAX_DOWNLOADS = 1_000_000_000
const isCount = (value: NumberValue, most: number): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most)

const USUAL_DAYS = 30
const USUAL_DOWNLOADS = 3
const USUAL_VIEWS = 3
const DAY_MS = 86_400_000

/** The preset gives what a buyer lacks: more time, more downloads, or both. */
const hasEnded = (files: readonly DeliveredFile[]): boolean =>
  files.some(({ expires_at }) => expires_at !== null && Date.parse(expires_at) <= Date.now())
const isUsedUp = (files: readonly DeliveredFile[]): boolean =>
  files.some(
    ({ download_limit, downloads }) => download_limit !== null && downloads >= download_limit,
  )

const isViewed = (files: readonly DeliveredFile[]): boolean =>
  files.some(({ view }) => view !== 'download')
const viewsUsedUp = (files: readonly DeliveredFile[]): boolean =>
  files.some(({ view_limit, views }) => view_limit !== null && views >= view_limit)
const viewsEnded = (files: readonly DeliveredFile[]): boolean =>
  files.some(({ view_expires_at: end }) => end !== null && Date.parse(end) <= Date.now())

/** Why this number of days would take time from a file; null: it does not. */
function shortenedBy(files: readonly DeliveredFile[], days: number): string | null {
  const until = Date.now() + days * DAY_MS
  if (files.some(({ expires_at }) => expires_at === null))
    return t('This would shorten a file that never expires: leave it unchanged')
  const left = files.map(({ expires_at }) => (Date.parse(expires_at!) - Date.now()) / DAY_MS)
  const most = Math.ceil(Math.max(...left))
  return Math.max(...files.map(({ expires_at }) => Date.parse(expires_at!))) > until
    ? t(
        'This would shorten a file that is still valid for {days, plural, one {# day} other {# days}}: enter at least that, or leave it unchanged',
        { days: most },
      )
    : null
}

/** What was changed, and which files stay blocked. */
function changedText(
  files: readonly DeliveredFile[],
  { days, more }: { days: NumberValue; more: NumberValue },
): string {
  if (days === undefined && hasEnded(files))
    return t('The terms were changed, but files are still expired: give them more days')
  if (more === undefined && isUsedUp(files))
    return t('The terms were changed, but files are still used up: give them more downloads')
  return t('The terms were changed')
}

/** The new terms of views, with their problem. */
function useViewTerms(files: readonly DeliveredFile[]) {
  const [days, setDays] = useState<NumberValue>(() =>
    isViewed(files) && viewsEnded(files) ? USUAL_DAYS : undefined,
  )
  const [more, setMore] = useState<NumberValue>(() =>
    isViewed(files) && viewsUsedUp(files) ? USUAL_VIEWS : undefined,
  )
  const wrong = t('Enter a whole number above 0')
  return {
    fieldsOf: (tried: boolean, problemAt: (field: string) => string | undefined) => ({
      days: {
        ...{ value: days, onChange: setDays },
        error: tried && !isCount(days, MAX_DAYS) ? wrong : problemAt('view_days'),
      },
      more: {
        ...{ value: more, onChange: setMore },
        error: tried && !isCount(more, MAX_DOWNLOADS) ? wrong : problemAt('more_views'),
      },
    }),
    areValid: isCount(days, MAX_DAYS) && isCount(more, MAX_DOWNLOADS),
    isUnchanged: days === undefined && more === undefined,
    change: {
      ...(days === undefined ? {} : { view_days: days as number | null }),
      ...(more === undefined
        ? {}
        : more === null
          ? { view_limit: null }
          : { more_views: more as number }),
    } satisfies DeliveryChange,
  }
}

/** The new terms, their problems, and writing them. */
function useTerms({ delivery: { id, email, status }, files, onClose }: Props) {
  const change = useChangeDelivery(id)
  const [days, setDays] = useState<NumberValue>(() => (hasEnded(files) ? USUAL_DAYS : undefined))
  const [more, setMore] = useState<NumberValue>(() =>
    isUsedUp(files) ? USUAL_DOWNLOADS : undefined,
  )
  const views = useViewTerms(files)
  const [resend, setResend] = useState(false)
  const [ask, setAsk] = useState<AskChange>({ ...EMPTY_ASK, ask: 'unchanged' })
  const asked = readAskChange(ask)
  const [tried, setTried] = useState(false)
  const problems = problemsOf(objectionsIn(change.error))
  const shortened = typeof days === 'number' ? shortenedBy(files, days) : null
  const areDays = isCount(days, MAX_DAYS)
  const areDownloads = isCount(more, MAX_DOWNLOADS)
  const isUnchanged =
    days === undefined && more === undefined && ask.ask === 'unchanged' && views.isUnchanged
  const canSend = status === 'ready' && email !== null
  const submit = () => {
    setTried(true)
    if (!areDays || !areDownloads || !views.areValid) return
    if (shortened !== null || isUnchanged || 'error' in asked) return
    change.mutate(
      {
        changes: [{ ...changeOf(files, days, more), ...views.change, ...asked.terms }],
        resend: resend && canSend,
      },
      {
        onSuccess: () => {
          toast(changedText(files, { days, more }))
          onClose()
        },
      },
    )
  }
  const wrong = t('Enter a whole number above 0')
  const daysError =
    tried && !areDays
      ? wrong
      : tried && isUnchanged
        ? t('Choose what to change')
        : (shortened ?? problems.at('expiry_days'))
  return {
    days: { value: days, onChange: setDays, error: daysError },
    more: {
      value: more,
      onChange: setMore,
      error: tried && !areDownloads ? wrong : problems.at('more_downloads'),
    },
    views: views.fieldsOf(tried, problems.at),
    ask: {
      form: ask,
      error: tried && 'error' in asked ? asked.error : problems.at('password'),
      onChange: (part: Partial<AskChange>) => setAsk({ ...ask, ...part }),
    },
    resend: { checked: resend, onChange: setResend },
    ...{ canSend, submit, saving: change.isPending },
    error: problems.all.length === 0 ? change.error : null,
  }
}

const changeOf = (
  files: readonly DeliveredFile[],
  days: NumberValue,
  more: NumberValue,
): DeliveryChange => ({
  file_ids: files.map(({ file_id }) => file_id),
  ...(days === undefined ? {} : { expiry_days: days as number | null }),
  ...(more === undefined
    ? {}
    : more === null
      ? { download_limit: null }
      : { more_downloads: more as number }),
})

export function TermsDialog(props: Props) {
  const { files, onClose } = props
  const { days, more, views, ask, resend, canSend, submit, saving, error } = useTerms(props)
  return (
    <Dialog
      title={
        files.length === 1
          ? t('Extend {name}', { name: files[0]!.filename })
          : t('Extend {count, plural, one {# file} other {# files}}', { count: files.length })
      }
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Extend'), loading: saving, onAction: submit }}
    >
      {error && <Problem error={error} what={t('The terms could not be changed')} />}
      <NumberField
        label={t('Expires, counted from now')}
        none={t('Never')}
        optional
        start={USUAL_DAYS}
        suffix={t('days')}
        {...days}
      />
      <NumberField
        label={t('More downloads')}
        none={t('Any number')}
        optional
        start={USUAL_DOWNLOADS}
        suffix={t('more')}
        {...more}
      />
      {isViewed(files) && (
        <>
          <NumberField
            label={t('More views in the browser')}
            none={t('Any number')}
            optional
            start={USUAL_VIEWS}
            suffix={t('more')}
            {...views.more}
          />
          <NumberField
            label={t('Views end, counted from now')}
            none={t('When the link expires')}
            optional
            start={USUAL_DAYS}
            suffix={t('days')}
            {...views.days}
          />
        </>
      )}
      <AskFields {...ask} own={t('What each file asks for')} keep={t('Leave unchanged')} />
      <Hint>{t('It applies to this order only. The link of the buyer stays the same.')}</Hint>
      {canSend && <Checkbox label={t('Send the email with the link again')} {...resend} />}
    </Dialog>
  )
}
