// The dialog of any action, with its plugin's texts and form.
import { type ReactNode, useState } from 'react'
import {
  type Entry,
  fieldsOf,
  type FileTest,
  type ActionPlace,
} from '../../../shell/client/plugins.ts'
import type { MessageValues } from '../../../shell/messages/format.ts'
import { Banner, Text, ChoiceList } from '../../../shell/ui/index.ts'
import { t } from '../../../shell/messages/t.ts'
import type { Selection } from '../../../shell/client/types.ts'
import { filterTexts } from '../../../shell/files/filter-labels.ts'
import { OptionForm } from '../../plugins/option-form/option-form.tsx'
import { shapeOf } from '../../plugins/option-shape.ts'
import { meetsTest } from '../fits.ts'
import type { ActionFiles } from '../selection.ts'
import { alternativesOf } from './action-form.ts'
import { textsOf } from './action-texts.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import type { EntryProps } from './entry-props.ts'
import { FormError } from './form-error.tsx'
import { useActionForm } from './use-action-form.ts'

interface PluginDialogProps extends EntryProps {
  /** What an action shows above its form, in addition to its own texts. */
  children?: ReactNode | ((options: Record<string, unknown>) => ReactNode)
}

export function PluginDialog({ entry, children, ...props }: PluginDialogProps) {
  const { plugin, action } = entry
  const which = useWhichFiles(props.chosen, action.fits.places)
  const { chosen, counted } = which
  const form = useActionForm(entry, chosen)
  const [names, setNames] = useState<MessageValues>({})
  const texts = textsOf(entry, chosen, form.options, names)
  const fields = fieldsOf(entry)
  const name = (option: string, text: string) =>
    setNames((before) => ({ ...before, [`${option}_text`]: text }))
  return (
    <BulkDialog
      {...props}
      chosen={chosen}
      title={texts.title}
      run={
        form.confirming?.button ??
        ((count) => (counted ? texts.button(count) : action.labels.action))
      }
      destructive={action.destructive || form.confirming !== null}
      start={form.start}
      error={form.error}
      preview={previewOf(entry, chosen.select)}
      note={texts.note ?? undefined}
      size={fields.some(([, schema]) => shapeOf(schema).kind === 'rows') ? 'large' : undefined}
      work={form.work}
      about={which.offered.length > 0 ? null : undefined}
    >
      {texts.warning && (
        <Banner tone={texts.warning.tone} title={texts.warning.title}>
          <p>{texts.warning.text}</p>
        </Banner>
      )}
      {texts.intro && <Text as="p">{texts.intro}</Text>}
      {typeof children === 'function' ? children(form.options) : children}
      {action.fits.noun && <OthersPass chosen={chosen} {...action.fits.noun} />}
      <FormError text={form.whole} />
      <WhichFiles which={which} />
      {fields.length > 0 && (
        <OptionForm
          schema={plugin.options}
          value={form.options}
          onChange={form.change}
          path="options"
          problems={form.problems}
          fields={fields.map(([option]) => option)}
          alternatives={alternativesOf(entry)}
          dialog={{ files: chosen.files, known: chosen.known, name }}
        />
      )}
      {form.confirming && (
        <Banner tone="warning">
          <p>{form.confirming.text}</p>
        </Banner>
      )}
    </BulkDialog>
  )
}

/** The kind of preview that an action has before it runs. */
export function previewOf({ action }: Entry, select: object): 'offered' | 'required' | 'none' {
  if (action.preview === 'none') return 'none'
  const { preview_required: needed } = action
  return needed === 'always' || (needed === 'filter' && 'filter' in select) ? 'required' : 'offered'
}

// How many of the selected files an action works on, if it skips others.

interface Props {
  chosen: ActionFiles
  files: FileTest
  one: string
  many: string
}

function OthersPass({ chosen: { files, known, count }, files: test, one, many }: Props) {
  const fitting = files.filter((file) => meetsTest(test, file)).length
  const others = count - fitting
  if (known && fitting === count) return null
  return (
    <Text as="p">
      {known
        ? t(
            '{fitting, number} {noun} selected; {others, plural, one {# other file is} other {# other files are}} skipped.',
            {
              fitting,
              noun: fitting === 1 ? one : many,
              others,
            },
          )
        : t('Files that are not {noun} are skipped.', { noun: many })}
    </Text>
  )
}

// The files of an action on a list: the ticked ones, those that match the list's filters, or all.

interface Choice {
  value: 'chosen' | 'list' | 'all'
  label: string
  select: Selection
  /** null: not counted. */
  count: number | null
}

export interface FileChoice {
  chosen: ActionFiles
  /** Is the number of files known? */
  counted: boolean
  /** Empty: no choice is offered. */
  offered: readonly Choice[]
  picked: string
  pick: (value: string) => void
}

/** An action on the list as a whole offers a choice; other actions work on the selection. */
function useWhichFiles(chosen: ActionFiles, places: readonly ActionPlace[]): FileChoice {
  const offered = places.includes('list') ? choicesFor(chosen) : []
  const [value, pick] = useState<string | null>(null)
  const picked = offered.find((one) => one.value === value) ?? offered[0]
  if (!picked) return { chosen, counted: true, offered, picked: '', pick }
  const { select, count } = picked
  return {
    chosen: { ...chosen, select, count: count ?? chosen.count },
    counted: count !== null,
    offered,
    picked: picked.value,
    pick,
  }
}

function WhichFiles({ which: { offered, picked, pick } }: { which: FileChoice }) {
  if (offered.length < 2) return null
  return (
    <ChoiceList
      title={t('Which files')}
      selected={[picked]}
      choices={offered.map(({ value, label }) => ({ value, label }))}
      onChange={([next]) => next !== undefined && pick(next)}
    />
  )
}

/** The choices for an action; choices of the same files are left out. */
function choicesFor({ select, count, list }: ActionFiles): Choice[] {
  const narrowed = filterTexts(list.filter)
  const { isExact = true } = list
  const choices: Choice[] = []
  if (count > 0 && 'file_ids' in select)
    choices.push({
      value: 'chosen',
      label: t('The {count, plural, one {# selected file} other {# selected files}}', { count }),
      select,
      count,
    })
  if (narrowed.length > 0 || list.filter.deleted)
    choices.push({
      value: 'list',
      label: matchingText(list, narrowed),
      select: { filter: list.filter },
      count: isExact ? list.total : null,
    })
  if (!list.filter.deleted)
    choices.push({
      value: 'all',
      label: t('All files'),
      select: { filter: {} },
      count: narrowed.length === 0 && isExact ? list.total : null,
    })
  return choices
}

function matchingText({ total, isExact = true }: ActionFiles['list'], narrowed: readonly string[]) {
  const conditions = narrowed.join('; ') || t('in the trash')
  return isExact
    ? t('The {total, plural, one {# file that matches} other {# files that match}}: {conditions}', {
        total,
        conditions,
      })
    : t('The files that match, more than {total, number}: {conditions}', { total, conditions })
}
