// The saved views above the list, as links, and what can be done with the open one.
import { lazy, memo, Suspense, useState } from 'react'
import { ActionList, Button, PageLink, Popover } from '../../shell/ui/index.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { numberText } from '../../shell/labels/size.ts'
import { type UrlState } from '../../shell/url-state/use-url-state.ts'
import { addressOf, contentOf, isModified, stateOf } from './saved-view.ts'
import { type ListColumn } from './columns.ts'
import { type FilesUrlState, isNarrowed, DEFAULT_SORT, readFilesUrlState } from './url-state.ts'
import { type SavedView, useChangeView, useSavedViews } from './view-calls.ts'
import './views-bar.css'
import { t } from '../../shell/messages/t.ts'

const dialogs = () => import('./view-dialogs.tsx')
const SaveView = lazy(async () => ({ default: (await dialogs()).SaveView }))
const RenameView = lazy(async () => ({ default: (await dialogs()).RenameView }))
const DeleteView = lazy(async () => ({ default: (await dialogs()).DeleteView }))

interface Props {
  urlState: FilesUrlState
  go: UrlState<FilesUrlState>['go']
  columns: readonly ListColumn[]
}

/** Memoised: a tick in the list does not change it. */
export const ViewsBar = memo(function ViewsBar({ urlState, go, columns }: Props) {
  const views = useSavedViews()
  const all = views.data?.data ?? []
  const open = all.find(({ id }) => id === urlState.view)
  const savable = isNarrowed(urlState) || urlState.sort !== DEFAULT_SORT
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
  if (all.length === 0 && !savable) return null
  return (
    <div className="views-bar">
      <nav aria-label={t('Saved views')}>
        <ul>
          <li>
            <Tab url="/files" current={!open} name={t('All files')} />
          </li>
          {all.map((view) => (
            <li key={view.id}>
              <Tab
                url={addressOf({ ...stateOf(view), rows: urlState.rows })}
                current={view === open}
                name={view.name}
                files={view.files}
                isExact={view.files_is_exact}
              />
            </li>
          ))}
        </ul>
      </nav>
      <ViewActions
        view={open}
        modified={open !== undefined && isModified(urlState, open)}
        {...{ urlState, go, columns, savable }}
      />
    </div>
  )
})

function Tab(props: {
  url: string
  current: boolean
  name: string
  files?: number
  isExact?: boolean
}) {
  const { url, current, name, files, isExact = true } = props
  return (
    <PageLink url={url} className="view-tab" aria-current={current ? 'page' : undefined}>
      <span className="view-name">{name}</span>
      {files !== undefined && (
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

interface ActionsProps extends Props {
  view: SavedView | undefined
  modified: boolean
  savable: boolean
}

type ViewQuestion = 'save' | 'rename' | 'delete'

function ViewActions({ view, modified, savable, urlState, go, columns }: ActionsProps) {
  const [asked, setAsked] = useState<ViewQuestion | null>(null)
  const change = useChangeView()
  const close = () => setAsked(null)
  const content = contentOf(urlState, columns)
  const ask = (what: ViewQuestion) => () => setAsked(what)
  return (
    <div className="view-actions">
      {view && modified && (
        <>
          <Button
            variant="plain"
            onClick={() => go({ ...readFilesUrlState(''), ...stateOf(view), rows: urlState.rows })}
          >
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
          <SaveView content={content} onClose={close} onSaved={(made) => go(stateOf(made))} />
        )}
        {asked === 'rename' && view && <RenameView view={view} onClose={close} />}
        {asked === 'delete' && view && (
          <DeleteView view={view} onClose={close} onDeleted={() => go({ view: '' })} />
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
