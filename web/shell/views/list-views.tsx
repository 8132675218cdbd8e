// Saved views of a list that has no columns to choose: the query of its endpoint under a name.
import { toQuery } from '../client/client.ts'
import { type Query } from '../client/endpoints.ts'
import { type PagePosition } from '../url-state/list-state.ts'
import { type ListState, type UrlState } from '../url-state/use-url-state.ts'
import { type SavedView } from './view-calls.ts'
import { ViewsBar } from './views-bar.tsx'

type Viewed = PagePosition & { view: string }

interface Props<State extends Viewed> {
  list: SavedView['list']
  path: string
  all: string
  state: ListState<State>
  urlState: State
  go: UrlState<State>['go']
  /** What the endpoint takes, and back to the address; absent: they have the same names. */
  api?: { queryOf: (state: State) => Query; addressOf: (query: string) => string }
}

export function ListViews<State extends Viewed>(props: Props<State>) {
  const { list, path, all, state, urlState, go } = props
  const queryOf = (shown: State) => viewQuery(props, shown)
  const stateOf = ({ id, query }: SavedView): State => ({
    ...state.read(props.api ? props.api.addressOf(query) : query),
    view: id,
  })
  const query = queryOf(urlState)
  return (
    <ViewsBar
      list={list}
      path={path}
      all={all}
      open={urlState.view}
      savable={query !== ''}
      content={{ query }}
      addressOf={(view) => path + state.write(stateOf(view))}
      isModified={(view) => query !== queryOf(stateOf(view))}
      onOpen={(view) => go(stateOf(view))}
      onClose={() => go({ view: '' } as Partial<State>)}
    />
  )
}

/** The query that a view is saved with, without the page. */
function viewQuery<State extends Viewed>({ state, api }: Props<State>, shown: State): string {
  const whole = { ...shown, view: '', page: 1, cursor: '' }
  return (api ? toQuery(api.queryOf(whole)) : state.write(whole)).slice(1)
}
