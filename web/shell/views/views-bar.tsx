// The saved views above a list, as links.
import { lazyPart } from '../components/lazy-part.tsx'
import { numberText } from '../labels/size.ts'
import { t } from '../messages/t.ts'
import { PageLink } from '../ui/index.ts'
import { LoadProblem } from '../components/load-problem.tsx'
import { useSavedViews, type ViewsBarProps } from './view-calls.ts'
import './views-bar.css'

// Loaded when a view is open or can be saved.
const ViewActions = lazyPart(async () => (await import('./view-actions.tsx')).ViewActions)

export function ViewsBar(props: ViewsBarProps) {
  const { list, path, all, savable, addressOf, isModified } = props
  const views = useSavedViews(list)
  const saved = views.data?.data ?? []
  const open = saved.find(({ id }) => id === props.open)
  if (views.error && !views.data)
    return (
      <div className="views-problem">
        <LoadProblem query={views} what={t('The saved views could not be loaded')} />
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
                rows={view.rows}
                isExact={view.rows_is_exact}
              />
            </li>
          ))}
        </ul>
      </nav>
      {(open || savable) && (
        // The answer to a change of one view is not shown for another one.
        <ViewActions
          key={open?.id}
          {...props}
          view={open}
          modified={open !== undefined && isModified(open)}
        />
      )}
    </div>
  )
}

interface TabProps {
  url: string
  current: boolean
  name: string
  /** How many the list has; null: not counted. */
  rows?: number | null
  isExact?: boolean
}

function Tab({ url, current, name, rows = null, isExact = true }: TabProps) {
  return (
    <PageLink url={url} className="view-tab" aria-current={current ? 'page' : undefined}>
      <span className="view-name">{name}</span>
      {rows !== null && (
        <span
          className="view-count"
          aria-label={
            isExact
              ? t('{rows, plural, one {# entry} other {# entries}}', { rows })
              : t('More than {rows, number} entries', { rows })
          }
        >
          {isExact ? numberText(rows) : `${numberText(rows)}+`}
        </span>
      )}
    </PageLink>
  )
}
