// What can be done with the open view of a list, and with a list that is not saved as a view.
import { useState } from 'react'
import { lazyPart } from '../components/lazy-part.tsx'
import { Problem } from '../components/problem.tsx'
import { t } from '../messages/t.ts'
import { ActionList, Button, Popover } from '../ui/index.ts'
import { type SavedView, useChangeView, type ViewsBarProps } from './view-calls.ts'

const dialogs = () => import('./view-dialogs.tsx')
const SaveView = lazyPart(async () => (await dialogs()).SaveView, { as: 'dialog' })
const RenameView = lazyPart(async () => (await dialogs()).RenameView, { as: 'dialog' })
const DeleteView = lazyPart(async () => (await dialogs()).DeleteView, { as: 'dialog' })

interface ActionsProps extends ViewsBarProps {
  view: SavedView | undefined
  modified: boolean
}

type ViewQuestion = 'save' | 'rename' | 'delete'

export function ViewActions({
  list,
  view,
  modified,
  savable,
  content,
  onOpen,
  onClose,
}: ActionsProps) {
  const [asked, setAsked] = useState<ViewQuestion | null>(null)
  const change = useChangeView()
  const close = () => setAsked(null)
  const ask = (what: ViewQuestion) => () => setAsked(what)
  return (
    <div className="view-actions">
      {view && modified && (
        <>
          <Button variant="plain" onClick={() => onOpen(view)}>
            {t('Discard changes')}
          </Button>
          <Button
            loading={change.isPending}
            onClick={() => change.mutate({ id: view.id, ...content })}
          >
            {t('Save changes')}
          </Button>
        </>
      )}
      {view ? (
        <ViewMenu name={view.name} ask={ask} />
      ) : (
        savable && <Button onClick={ask('save')}>{t('Save view')}</Button>
      )}
      {change.error && <Problem error={change.error} what={t('The view could not be saved')} />}
      {asked === 'save' && (
        <SaveView list={list} content={content} onClose={close} onSaved={onOpen} />
      )}
      {asked === 'rename' && view && <RenameView view={view} onClose={close} />}
      {asked === 'delete' && view && <DeleteView view={view} onClose={close} onDeleted={onClose} />}
    </div>
  )
}

function ViewMenu({ name, ask }: { name: string; ask: (what: ViewQuestion) => () => void }) {
  const [open, setOpen] = useState(false)
  const item = (content: string, what: ViewQuestion) => ({
    content,
    destructive: what === 'delete',
    onAction: () => {
      setOpen(false)
      ask(what)()
    },
  })
  return (
    <Popover
      active={open}
      onClose={() => setOpen(false)}
      preferredAlignment="right"
      activator={
        <Button
          disclosure
          accessibilityLabel={t('View “{name}”', { name })}
          onClick={() => setOpen(!open)}
        >
          {t('View')}
        </Button>
      }
    >
      <ActionList
        actionRole="menuitem"
        items={[
          item(t('Rename view'), 'rename'),
          item(t('Save as another view'), 'save'),
          item(t('Delete view'), 'delete'),
        ]}
      />
    </Popover>
  )
}
