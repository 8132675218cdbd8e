// Accepts the best candidate of all reviews above a score, and shows their number first.
import { useState } from 'react'
import { toast } from '../../../shell/client/bridge.ts'
import { useAcceptAbove, useCountAbove } from '../calls.ts'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { LoadProblem } from '../../../shell/components/load-problem.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { useDebounced } from '../../../shell/url-state/use-debounced.ts'
import { Text, TextField } from '../../../shell/ui/index.ts'
import { t } from '../../../shell/messages/t.ts'

const START = '90'

export function AcceptAbove({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState(START)
  const percent = /^\d{1,3}$/.test(text.trim()) && Number(text) <= 100 ? Number(text) : null
  const debounced = useDebounced(percent)
  const counted = useCountAbove(debounced === null ? null : debounced / 100)
  const known = percent === null || percent !== debounced ? undefined : counted.data?.count
  const accept = useAcceptAbove()
  const finish = () =>
    percent !== null &&
    known !== undefined &&
    accept.mutate(
      { above: percent / 100, count: known },
      {
        onSuccess: (accepted) => {
          toast(
            t('{accepted, plural, one {# file was attached} other {# files were attached}}', {
              accepted,
            }),
          )
          onClose()
        },
      },
    )
  return (
    <Dialog
      title={t('Accept all above a score')}
      onClose={onClose}
      primaryAction={{
        content: known
          ? t('Accept {known, plural, one {# file} other {# files}}', { known })
          : t('Accept'),
        disabled: !known,
        loading: accept.isPending,
        onAction: () => void finish(),
      }}
    >
      {accept.error && <Problem error={accept.error} what={t('The files could not be accepted')} />}
      <LoadProblem query={counted} what={t('The files could not be counted')} />
      <TextField
        label={t('Score of at least')}
        type="integer"
        inputMode="numeric"
        suffix="%"
        autoFocus
        min={0}
        max={100}
        value={text}
        onChange={setText}
        error={percent === null ? t('Enter a number from 0 to 100') : undefined}
      />
      <Text as="p" fontWeight="semibold">
        <span role="status">{percent === null ? '' : countedText(known)}</span>
      </Text>
    </Dialog>
  )
}

/** Undefined: they are being counted. */
const countedText = (known: number | undefined): string =>
  known === undefined
    ? t('Counting …')
    : known === 0
      ? t('No file has a candidate with this score')
      : t(
          '{known, plural, one {# file is attached to its best candidate} other {# files are attached to their best candidate}}',
          { known },
        )
