// The selection on a narrow screen, where the table's own bar has no room: the number of files, and
// the actions.
import { useState } from 'react'
import { ActionList, Button, Checkbox, Popover } from '../../shell/ui/index.ts'
import { type BulkAction, type BulkMenu } from './bulk-actions.tsx'
import { type FileSelection } from './selection.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  selection: FileSelection
  shown: number
  total: number
  /** False: there are more. */
  isExact: boolean
  menu: BulkMenu
}

export function SelectedBar({ selection, shown, total, isExact, menu }: Props) {
  const { count, onPage, all, click } = selection
  const page = onPage === shown
  return (
    <div className="selected-bar">
      <Checkbox
        label={
          count === 0 ? t('Select all on this page') : t('{count, number} selected', { count })
        }
        checked={count === 0 ? false : page ? true : 'indeterminate'}
        onChange={() => click({ kind: 'page', on: !page })}
      />
      {page && count > 0 && total > shown && (
        <Button variant="plain" onClick={() => click({ kind: 'all', on: !all })}>
          {all
            ? t('Only this page')
            : isExact
              ? t('Select all {total, plural, one {# file} other {# files}}', { total })
              : t('Select all files, more than {total, number}', { total })}
        </Button>
      )}
      {count > 0 && <Actions menu={menu} />}
    </div>
  )
}

function Actions({ menu: { foremost, groups } }: { menu: BulkMenu }) {
  const [open, setOpen] = useState(false)
  const closing = ({ onAction, ...action }: BulkAction) => ({
    ...action,
    onAction: () => {
      setOpen(false)
      onAction()
    },
  })
  return (
    <Popover
      active={open}
      onClose={() => setOpen(false)}
      preferredAlignment="right"
      activator={
        <Button disclosure onClick={() => setOpen(!open)}>
          {t('Actions')}
        </Button>
      }
    >
      <ActionList
        actionRole="menuitem"
        sections={[
          { items: foremost.map(closing) },
          ...groups.map(({ title, items }) => ({ title, items: items.map(closing) })),
        ]}
      />
    </Popover>
  )
}
