// Gives a link more time: days from now, or no end.
import { useState } from 'react'
import { toast } from '../../client/bridge.ts'
import { useExtendLink } from '../../client/link-list.ts'
import { type DownloadLink } from '../../client/types.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Problem } from '../../components/problem.tsx'
import { objectionsIn, problemsOf } from '../../components/problems.ts'
import { ChoiceList, Text, TextField } from '../../ui/index.ts'
import { expiresText } from './link-row.tsx'

const MAX_DAYS = 36_500

export function ExtendLink({ link, onClose }: { link: DownloadLink; onClose: () => void }) {
  const extend = useExtendLink()
  const [never, setNever] = useState(false)
  const [days, setDays] = useState('30')
  const [wrong, setWrong] = useState<string | undefined>()
  const problem = wrong ?? problemsOf(objectionsIn(extend.error)).at('expiry_days')
  const submit = () => {
    const count = /^\d+$/.test(days.trim()) ? Number(days) : 0
    if (!never && (count < 1 || count > MAX_DAYS))
      return setWrong('Write a whole number from 1 to 36,500')
    extend.mutate(
      { id: link.id, expiry_days: never ? null : count },
      {
        onSuccess: (changed) => {
          toast(
            changed.expires_at === null
              ? 'The link never expires'
              : `The link expires ${expiresText(changed)}`,
          )
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      title="Change expiry"
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: 'Change', onAction: submit, loading: extend.isPending }}
      secondaryActions={[{ content: 'Cancel', onAction: onClose }]}
    >
      {extend.error && !problem && (
        <Problem error={extend.error} what="The link could not be changed" />
      )}
      <Text as="p" tone="subdued">
        {link.expires_at === null
          ? 'It never expires now.'
          : `It expires ${expiresText(link)} now.`}
      </Text>
      <ChoiceList
        title="New expiry"
        selected={[never ? 'never' : 'days']}
        onChange={([choice]) => setNever(choice === 'never')}
        choices={[
          {
            label: 'Days from now',
            value: 'days',
            renderChildren: (selected) =>
              selected && (
                <TextField
                  label="Days from now"
                  labelHidden
                  type="number"
                  min={1}
                  step={1}
                  suffix="days"
                  autoComplete="off"
                  value={days}
                  error={problem}
                  onChange={(text) => {
                    setDays(text)
                    setWrong(undefined)
                  }}
                />
              ),
          },
          { label: 'Never', value: 'never' },
        ]}
      />
    </Dialog>
  )
}
