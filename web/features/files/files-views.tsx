// The saved views of the list of files: its filters, its order and its columns.
import { memo } from 'react'
import { t } from '../../shell/messages/t.ts'
import { type UrlState } from '../../shell/url-state/use-url-state.ts'
import { ViewsBar } from '../../shell/views/views-bar.tsx'
import { type ListColumn } from './columns.ts'
import { addressOf, contentOf, isModified, stateOf } from './saved-view.ts'
import { DEFAULT_SORT, type FilesUrlState, isNarrowed, readFilesUrlState } from './url-state.ts'

interface Props {
  urlState: FilesUrlState
  go: UrlState<FilesUrlState>['go']
  columns: readonly ListColumn[]
}

/** Memoised: a tick in the list does not change it. */
export const FilesViews = memo(function FilesViews({ urlState, go, columns }: Props) {
  const { rows } = urlState
  return (
    <ViewsBar
      list="files"
      path="/files"
      all={t('All files')}
      open={urlState.view}
      savable={isNarrowed(urlState) || urlState.sort !== DEFAULT_SORT}
      content={contentOf(urlState, columns)}
      addressOf={(view) => addressOf({ ...stateOf(view), rows })}
      isModified={(view) => isModified(urlState, view)}
      onOpen={(view) => go({ ...readFilesUrlState(''), ...stateOf(view), rows })}
      onClose={() => go({ view: '' })}
    />
  )
})
