// The saved views above a list, as links, and what can be done with the open one.
import { lazy, Suspense, useState } from 'react'
import { Problem } from '../components/problem.tsx'
import { numberText } from '../labels/size.ts'
import { t } from '../messages/t.ts'
import { ActionList, Button, PageLink, Popover } from '../ui/index.ts'
import { type SavedView, useChangeView, useSavedViews, type ViewContent } from './view-calls.ts'
import './views-bar.css'

const dialogs = () => import('./view-dialogs.tsx')
const SaveView = lazy(async () => ({ default: (await dialogs()).SaveView }))
const RenameView = lazy(async () => ({ default: (await dialogs()).RenameView }))
const DeleteView = lazy(async () => ({ default: (await dialogs()).DeleteView }))

export interface ViewsBarProps {
  list: SavedView['list']
  /** The list without a view: its path, and `All files`. */
  path: string
  all: string
  /** The id of the open view, or ''. */
  open: string
  /** Does the list show something else than all? */
  savable: boolean
  /** What the list shows. */
  content: ViewContent
  addressOf: (view: SavedView) => string
  isModified: (view: SavedView) => boolean
  onOpen: (view: SavedView) => void
  onClose: () => void
}

export function ViewsBar(props: ViewsBarProps) {
  const { list, path, all, savable, addressOf, isModified } = props
  const views = useSavedViews(list)
  const saved = views.data?.data ?? []
  const open = saved.find(({ id }) => id === props.open)
  if (views.error && !views.data)
    return (
      <div className="views-problem">
        <Problem
          error={views.error}
          what={t('The saved views could not be loaded')}
          onRetry={() => void views.refetch()}
          retrying={views.isFetching}
        />
      </div>
    )
  if (saved.length === 0 && !savable) return null
  return (
    <div className="views-bar">
      <nav aria-label={t('Saved views')}>
        <ul>
          <li>
            <Tab url={path} current={!open} name={all} />
          </li>
          {saved.map((view) => (
            <li key={view.id}>
              <Tab
                url={addressOf(view)}
                current={view === open}
                name={view.name}
                files={view.files}
                isExact={view.files_is_exact}
              />
            </li>
          ))}
        </ul>
      </nav>
      <ViewActions {...props} view={open} modified={open !== undefined && isModified(open)} />
    </div>
  )
}

function Tab(props: {
  url: string
  current: boolean
  name: string
  files?: number | null
  isExact?: boolean
}) {
  const { url, current, name, files = null, isExact = true } = props
  return (
    <PageLink url={url} className="view-tab" aria-current={current ? 'page' : undefined}>
      <span className="view-name">{name}</span>
      {files !== null && (
        <span
          className="view-count"
          aria-label={
            isExact
              ? t('{files, plural, one {# file} other {# files}}', { files })
              : t('More than {files, number} files', { files })
          }
        >
          {isExact ? numberText(files) : `${numberText(files)}+`}
        </span>
      )}
    </PageLink>
  )
}

interface ActionsProps extends ViewsBarProps {
  view: SavedView | undefined
  modified: boolean
}

type ViewQuestion = 'save' | 'rename' | 'delete'

function ViewActions({ list, view, modified, savable, content, onOpen, onClose }: ActionsProps) {
  const [asked, setViewQuestion] = useState<ViewQuestion | null>(null)
  const change = useChangeView()
  const close = () => setViewQuestion(null)
  const ask = (what: ViewQuestion) => () => setViewQuestion(what)
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
      <Suspense>
        {asked === 'save' && (
          <SaveView list={list} content={content} onClose={close} onSaved={onOpen} />
        )}
        {asked === 'rename' && view && <RenameView view={view} onClose={close} />}
        {asked === 'delete' && view && (
          <DeleteView view={view} onClose={close} onDeleted={onClose} />
        )}
      </Suspense>
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
