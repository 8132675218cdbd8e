// Asks how to handle files whose names are taken, for all together or one by one.
import { useState } from 'react'
import { Dialog } from '../../shell/components/dialog.tsx'
import { type ChosenFile } from '../../shell/components/chosen-files.ts'
import { Select, Text } from '../../shell/ui/index.ts'
import { CONFLICTS, type Conflict } from './labels.ts'
import { t } from '../../shell/messages/t.ts'

/** `skip`: the file is not uploaded. */
export type Choice = Exclude<Conflict, 'error'>

interface Props {
  /** Files whose names are taken, in order; two files of one name are both listed. */
  files: readonly ChosenFile[]
  /** Files that were chosen with them, whose names are free. */
  others: number
  onChosen: (choices: ReadonlyMap<ChosenFile, Choice>) => void
  onClose: () => void
}

const OPTIONS = [
  ...Object.entries(CONFLICTS).map(([value, label]) => ({ value, label })),
  { value: 'skip', label: t('Don’t upload it') },
]
const SHOWN = 200

export function ConflictsDialog({ files, others, onChosen, onClose }: Props) {
  const [choices, setChoices] = useState<ReadonlyMap<ChosenFile, Choice>>(
    new Map(files.map((file) => [file, 'rename'])),
  )
  const all = [...new Set(choices.values())]
  const one = files.length === 1
  const choose = (some: readonly ChosenFile[], choice: string) =>
    setChoices(new Map([...choices, ...some.map((file) => [file, choice as Choice] as const)]))
  return (
    <Dialog
      title={
        one
          ? t('A file of this name exists')
          : t('{count, plural, one {# file} other {# files}} of these names exist', {
              count: files.length,
            })
      }
      onClose={onClose}
      primaryAction={{ content: t('Continue'), onAction: () => onChosen(choices) }}
    >
      {others > 0 && (
        <Text as="p">
          {t(
            '{others, plural, one {The other chosen file is} other {The # other chosen files are}} uploaded when you continue. If you cancel, no file is uploaded.',
            { others },
          )}
        </Text>
      )}
      {!one && (
        <Select
          label={t('For all of them')}
          options={[
            ...(all.length > 1 ? [{ value: '', label: t('For each file') }] : []),
            ...OPTIONS,
          ]}
          value={all.length > 1 ? '' : all[0]!}
          onChange={(choice) => choice !== '' && choose(files, choice)}
        />
      )}
      <Conflicts
        files={files}
        choices={choices}
        onChoose={(file, choice) => choose([file], choice)}
      />
    </Dialog>
  )
}

interface ConflictsProps extends Pick<Props, 'files'> {
  choices: ReadonlyMap<ChosenFile, Choice>
  onChoose: (file: ChosenFile, choice: string) => void
}

const Conflicts = ({ files, choices, onChoose }: ConflictsProps) => (
  <ul className="conflicts">
    {files.slice(0, SHOWN).map((file, at) => (
      <li key={at}>
        <Text as="span" breakWord>
          {file.path}
        </Text>
        <Select
          label={t('What to do with {path}', { path: file.path })}
          labelHidden
          options={OPTIONS}
          value={choices.get(file)!}
          onChange={(choice) => onChoose(file, choice)}
        />
      </li>
    ))}
    {files.length > SHOWN && (
      <li>
        {t('and {count, plural, one {# other} other {# others}}, with the choice for all', {
          count: files.length - SHOWN,
        })}
      </li>
    )}
  </ul>
)
