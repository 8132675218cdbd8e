// The files of an action on a list: the ticked ones, those that match the list's filters, or all.
import { useState } from 'react'
import { type ActionPlace } from '../../../shell/client/plugins.ts'
import { type Selection } from '../../../shell/client/types.ts'
import { filterTexts } from '../../../shell/files/filter-labels.ts'
import { ChoiceList } from '../../../shell/ui/index.ts'
import { type ActionFiles } from '../selection.ts'
import { t } from '../../../shell/messages/t.ts'

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
export function useWhichFiles(chosen: ActionFiles, places: readonly ActionPlace[]): FileChoice {
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

export function WhichFiles({ which: { offered, picked, pick } }: { which: FileChoice }) {
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
