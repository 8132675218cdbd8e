// Gives files of a delivery more time, downloads or views.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { type DeliveredFile, type Delivery, useChangeDelivery } from './calls.ts'
import {
  changedText,
  type ExtendTerms,
  presetTerms,
  shortenedText,
  termChanges,
  viewsShortenedText,
} from './extend-terms.ts'
import { GRANTED_DAYS, GRANTED_DOWNLOADS, GRANTED_VIEWS } from './labels.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { AskFields } from '../links/ask-fields.tsx'
import { isViewed } from '../links/labels.ts'
import { type AskChange, EMPTY_ASK, readAskChange } from '../links/ask-form.ts'
import { isCountOrNone } from '../../shell/components/counts.ts'
import { NumberField, type NumberValue } from '../../shell/components/number-field.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { Checkbox, Hint } from '../../shell/ui/index.ts'

interface Props {
  delivery: Delivery
  files: readonly DeliveredFile[]
  onClose: () => void
  /** The change is saved, but its message could not be sent. */
  onUnsent: (error: Error) => void
}

const MAX_DAYS = 36_500
const MAX_DOWNLOADS = 1_000_000_000
/** A count, the choice of no limit, or the choice to leave it unchanged. */
const isTerm = (value: NumberValue, most: number): boolean =>
  value === undefined || isCountOrNone(value, most)

const MOST: Readonly<Record<keyof ExtendTerms, number>> = {
  days: MAX_DAYS,
  more: MAX_DOWNLOADS,
  viewDays: MAX_DAYS,
  moreViews: MAX_DOWNLOADS,
}
const PARAMS: Readonly<Record<keyof ExtendTerms, string>> = {
  days: 'expiry_days',
  more: 'more_downloads',
  viewDays: 'view_days',
  moreViews: 'more_views',
}
const NAMES = Object.keys(MOST) as (keyof ExtendTerms)[]

/** The new terms, their problems, and writing them. */
function useTerms({ delivery: { id, email, status }, files, onClose, onUnsent }: Props) {
  const change = useChangeDelivery(id)
  const [now] = useState(() => new Date())
  const [terms, setTerms] = useState(() => presetTerms(files, now))
  const [resend, setResend] = useState(false)
  const [ask, setAsk] = useState<AskChange>({ ...EMPTY_ASK, ask: 'unchanged' })
  const asked = readAskChange(ask)
  const [tried, setTried] = useState(false)
  const problems = problemsOf(objectionsIn(change.error))
  const shortened = {
    days: shortenedText(files, terms.days, now),
    viewDays: viewsShortenedText(files, terms, now),
    more: null,
    moreViews: null,
  }
  const isWrong = (name: keyof ExtendTerms) => !isTerm(terms[name], MOST[name])
  const isUnchanged = ask.ask === 'unchanged' && NAMES.every((name) => terms[name] === undefined)
  const canSend = status === 'ready' && email !== null
  const submit = () => {
    setTried(true)
    if (isUnchanged || 'error' in asked) return
    if (NAMES.some((name) => isWrong(name) || shortened[name] !== null)) return
    change.mutate(
      { changes: termChanges(files, terms, asked.terms), resend: resend && canSend },
      {
        onSuccess: (unsent) => {
          if (unsent) onUnsent(unsent)
          else toast(changedText(files, terms, now))
          onClose()
        },
      },
    )
  }
  const errorOf = (name: keyof ExtendTerms) => {
    if (tried && isWrong(name)) return t('Enter a whole number above 0')
    if (tried && isUnchanged && name === 'days') return t('Choose what to change')
    return shortened[name] ?? problems.at(PARAMS[name])
  }
  return {
    fieldOf: (name: keyof ExtendTerms) => ({
      value: terms[name],
      onChange: (value: NumberValue) => setTerms({ ...terms, [name]: value }),
      error: errorOf(name),
    }),
    ask: {
      form: ask,
      error: tried && 'error' in asked ? asked.error : problems.at('password'),
      onChange: (part: Partial<AskChange>) => setAsk({ ...ask, ...part }),
    },
    resend: { checked: resend, onChange: setResend },
    canSend,
    submit,
    saving: change.isPending,
    error: problems.all.length === 0 ? change.error : null,
  }
}

export function TermsDialog(props: Props) {
  const { files, onClose } = props
  const { fieldOf, ask, resend, canSend, submit, saving, error } = useTerms(props)
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
        start={GRANTED_DAYS}
        suffix={t('days')}
        {...fieldOf('days')}
      />
      <NumberField
        label={t('More downloads')}
        none={t('Any number')}
        optional
        start={GRANTED_DOWNLOADS}
        suffix={t('more')}
        {...fieldOf('more')}
      />
      {files.some(isViewed) && (
        <>
          <NumberField
            label={t('More views in the browser')}
            none={t('Any number')}
            optional
            start={GRANTED_VIEWS}
            suffix={t('more')}
            {...fieldOf('moreViews')}
          />
          <NumberField
            label={t('Views end, counted from now')}
            none={t('When the link expires')}
            optional
            start={GRANTED_DAYS}
            suffix={t('days')}
            {...fieldOf('viewDays')}
          />
        </>
      )}
      <AskFields {...ask} own={t('What each file asks for')} keep={t('Leave unchanged')} />
      <Hint>{t('It applies to this order only. The link of the buyer stays the same.')}</Hint>
      {canSend && <Checkbox label={t('Send the email with the link again')} {...resend} />}
    </Dialog>
  )
}
