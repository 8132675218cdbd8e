// Asks what becomes of files whose names are taken, for all of them at once or each by itself.
import { useState } from 'react'
import { Dialog } from '../../../components/dialog.tsx'
import { Select, Text } from '../../../ui/index.ts'
import { countText } from '../../../words/size.ts'
import { CONFLICTS, type Conflict } from '../../../words/upload.ts'

/** `skip`: it stays where it is. */
export type Choice = Exclude<Conflict, 'error'> | 'skip'

interface Props {
  /** Each once, in order. */
  names: readonly string[]
  onChosen: (choices: ReadonlyMap<string, Choice>) => void
  onClose: () => void
}

const OPTIONS = [
  ...Object.entries(CONFLICTS).map(([value, label]) => ({ value, label })),
  { value: 'skip', label: 'Don’t upload it' },
]
const SHOWN = 200

export function ConflictsDialog({ names, onChosen, onClose }: Props) {
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map(names.map((name) => [name, 'rename'])))
  const all = [...new Set(choices.values())]
  const one = names.length === 1
  const choose = (some: readonly string[], choice: string) =>
    setChoices(new Map([...choices, ...some.map((name) => [name, choice as Choice] as const)]))
  return (
    <Dialog
      title={one ? 'A file of this name exists' : `${countText(names.length, 'file', 'files')} of these names exist`}
      onClose={onClose}
      primaryAction={{ content: 'Continue', onAction: () => onChosen(choices) }}
      secondaryActions={[{ content: 'Cancel', onAction: onClose }]}
    >
      {!one && (
        <Select
          label="For all of them"
          options={[...(all.length > 1 ? [{ value: '', label: 'Each by itself' }] : []), ...OPTIONS]}
          value={all.length > 1 ? '' : all[0]!}
          onChange={(choice) => choice !== '' && choose(names, choice)}
        />
      )}
      <ul className="conflicts">
        {names.slice(0, SHOWN).map((name) => (
          <li key={name}>
            <Text as="span" breakWord>
              {name}
            </Text>
            <Select
              label={`What becomes of ${name}`}
              labelHidden
              options={OPTIONS}
              value={choices.get(name)!}
              onChange={(choice) => choose([name], choice)}
            />
          </li>
        ))}
        {names.length > SHOWN && <li>and {countText(names.length - SHOWN, 'other', 'others')}, as said for all</li>}
      </ul>
    </Dialog>
  )
}
