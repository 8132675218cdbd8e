// Gives a link more time: days from now, or no end.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { useExtendLink } from './list-calls.ts'
import { type DownloadLink } from '../../shell/client/types.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { clearing, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { ChoiceList, Hint, TextField } from '../../shell/ui/index.ts'
import { expiresText } from './labels.ts'
import { t } from '../../shell/messages/t.ts'

const MAX_DAYS = 36_500

export function ExtendLink({ link, onClose }: { link: DownloadLink; onClose: () => void }) {
  const { extend, submitTo } = useExtending(link, onClose)
  const [never, setNever] = useState(false)
  const [days, setDays] = useState('30')
  const [wrong, setWrong] = useState<string | undefined>()
  const problem = wrong ?? problemsOf(objectionsIn(extend.error)).at('expiry_days')
  const submit = () => {
    const count = /^\d+$/.test(days.trim()) ? Number(days) : 0
    if (!never && (count < 1 || count > MAX_DAYS))
      return setWrong(t('Enter a whole number from 1 to 36,500'))
    submitTo(never ? null : count)
  }
  return (
    <Dialog
      title={t('Change expiry')}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Change'), onAction: submit, loading: extend.isPending }}
    >
      {extend.error && !problem && (
        <Problem error={extend.error} what={t('The link could not be changed')} />
      )}
      <Hint>
        {link.expires_at === null
          ? t('It never expires now.')
          : t('It expires {expires} now.', { expires: expiresText(link) })}
      </Hint>
      <ChoiceList
        title={t('New expiry')}
        selected={[never ? 'never' : 'days']}
        onChange={clearing(extend, ([choice]: string[]) => setNever(choice === 'never'))}
        choices={[
          {
            label: t('Days from now'),
            value: 'days',
            renderChildren: (selected) =>
              selected && (
                <DaysField
                  value={days}
                  error={problem}
                  onChange={clearing(extend, (text: string) => {
                    setDays(text)
                    setWrong(undefined)
                  })}
                />
              ),
          },
          { label: t('Never'), value: 'never' },
        ]}
      />
    </Dialog>
  )
}

interface DaysProps {
  value: string
  error: string | undefined
  onChange: (text: string) => void
}

const DaysField = (props: DaysProps) => (
  <TextField
    {...props}
    label={t('Days from now')}
    labelHidden
    type="number"
    min={1}
    step={1}
    suffix={t('days')}
  />
)

function useExtending({ id }: DownloadLink, onDone: () => void) {
  const extend = useExtendLink()
  const submitTo = (expiry_days: number | null) =>
    extend.mutate(
      { id, expiry_days },
      {
        onSuccess: (changed) => {
          toast(
            changed.expires_at === null
              ? t('The link never expires')
              : t('The link expires {expires}', { expires: expiresText(changed) }),
          )
          onDone()
        },
      },
    )
  return { extend, submitTo }
}
