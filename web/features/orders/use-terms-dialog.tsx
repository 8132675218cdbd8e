// Rental and membership of one buyer's file: how long it can be used after the first use, and the tag
// that the customer must have.
import { useState } from 'react'
import { Dialog } from '../../shell/components/dialog.tsx'
import { isCountOrNone } from '../../shell/components/counts.ts'
import { NumberField, type NumberValue } from '../../shell/components/number-field.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { clearing, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Hint, TextField } from '../../shell/ui/index.ts'
import { type DeliveredFile, type Delivery, useChangeDelivery } from './calls.ts'

interface Props {
  delivery: Delivery
  file: DeliveredFile
  onClose: () => void
  /** With the terms of before, for an undo. */
  onChanged: (file: ChangedUse) => void
}

export interface ChangedUse {
  filename: string
  /** Of the changed terms, what they were. */
  before: { file_id: string; first_use_hours?: number | null; customer_tag?: string | null }
}

const MAX_HOURS = 876_000
const MAX_TAG = 255
const USUAL_HOURS = 48

/** The terms that are being edited, and saving those that were changed. */
function useUseTerms({ delivery: { id }, file, onClose, onChanged }: Props) {
  const { file_id, filename, first_use_hours, customer_tag } = file
  const change = useChangeDelivery(id)
  const [hours, setHours] = useState<NumberValue>(first_use_hours)
  const [tag, setTag] = useState(customer_tag ?? '')
  const [tried, setTried] = useState(false)
  const submit = () => {
    setTried(true)
    if (!isCountOrNone(hours, MAX_HOURS)) return
    const wanted = tag.trim() === '' ? null : tag.trim()
    // An unchanged term is not sent: the file then keeps following its own tag.
    const terms = {
      file_id,
      ...(hours === first_use_hours ? {} : { first_use_hours: hours }),
      ...(wanted === customer_tag ? {} : { customer_tag: wanted }),
    }
    if (Object.keys(terms).length === 1) return onClose()
    change.mutate(
      { changes: [{ terms: [terms] }], resend: false },
      {
        onSuccess: () => {
          const before = {
            file_id,
            ...('first_use_hours' in terms ? { first_use_hours } : {}),
            ...('customer_tag' in terms ? { customer_tag } : {}),
          }
          onChanged({ filename, before })
          onClose()
        },
      },
    )
  }
  return {
    change,
    hours,
    tag,
    tried,
    submit,
    setHours: clearing(change, setHours),
    setTag: clearing(change, setTag),
  }
}

export function UseTermsDialog(props: Props) {
  const { file, onClose } = props
  const { change, hours, setHours, tag, setTag, tried, submit } = useUseTerms(props)
  const problems = problemsOf(objectionsIn(change.error))
  return (
    <Dialog
      title={t('Rental and membership of {name}', { name: file.filename })}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Save'), loading: change.isPending, onAction: submit }}
    >
      {change.error && problems.at('customer_tag') === undefined && (
        <Problem error={change.error} what={t('The terms could not be changed')} />
      )}
      <NumberField
        label={t('Expires after the first use')}
        none={t('Does not expire')}
        start={USUAL_HOURS}
        suffix={t('hours')}
        value={hours}
        onChange={setHours}
        {...(file.first_used_at === null
          ? {}
          : {
              help: t('First used at {at}. The hours count from then.', {
                at: momentText(file.first_used_at),
              }),
            })}
        {...(tried && !isCountOrNone(hours, MAX_HOURS)
          ? { error: t('Enter a whole number above 0') }
          : {})}
      />
      <TextField
        label={t('Required customer tag')}
        maxLength={MAX_TAG}
        value={tag}
        onChange={setTag}
        helpText={t('The file is open while the customer has this tag. Empty: no tag is required.')}
        error={problems.at('customer_tag')}
      />
      <Hint>{t('It applies to this order only. The link of the buyer stays the same.')}</Hint>
    </Dialog>
  )
}
