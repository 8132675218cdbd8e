// The ticked files on a narrow screen, where the table's own bar has no room: how many, and what to do with them.
import { useState } from 'react'
import { ActionList, Button, Checkbox, Popover } from '../../ui/index.ts'
import { countText, numberText } from '../../words/size.ts'
import { type BulkAction } from './bulk-actions.tsx'
import { type FileSelection } from './selection.ts'

interface Props {
  selection: FileSelection
  shown: number
  total: number
  actions: readonly BulkAction[]
}

export function SelectedBar({ selection, shown, total, actions }: Props) {
  const { count, all, click } = selection
  const page = all || count === shown
  return (
    <div className="selected-bar">
      <Checkbox
        label={count === 0 ? 'Select all on this page' : `${numberText(count)} selected`}
        checked={count === 0 ? false : page ? true : 'indeterminate'}
        onChange={() => click({ kind: 'page', on: count === 0 })}
      />
      {page && count > 0 && total > shown && (
        <Button variant="plain" onClick={() => click({ kind: 'all', on: !all })}>
          {all ? 'Only this page' : `Select all ${countText(total, 'file', 'files')}`}
        </Button>
      )}
      {count > 0 && <Actions actions={actions} />}
    </div>
  )
}

function Actions({ actions }: { actions: readonly BulkAction[] }) {
  const [open, setOpen] = useState(false)
  return (
    <Popover
      active={open}
      onClose={() => setOpen(false)}
      preferredAlignment="right"
      activator={
        <Button disclosure onClick={() => setOpen(!open)}>
          Actions
        </Button>
      }
    >
      <ActionList
        actionRole="menuitem"
        items={actions.map(({ content, destructive, onAction }) => ({
          content,
          destructive,
          onAction: () => {
            setOpen(false)
            onAction()
          },
        }))}
      />
    </Popover>
  )
}
