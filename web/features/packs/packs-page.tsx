// The shop's packs by name, with their sizes and products.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { type Pack, usePacks } from './calls.ts'
import { ListPages } from '../../shell/components/list-pages.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { PageSearch } from '../../shell/components/page-search.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { PACKS_STATE } from './url-state.ts'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'
import { BlockStack, Box, Card, TextField } from '../../shell/ui/index.ts'
import { CreatePack } from './create-pack.tsx'
import { DeletePack } from './delete-pack.tsx'
import { PacksTable } from './packs-table.tsx'
import { t } from '../../shell/messages/t.ts'

const SHOWN = 50

const usePacksState = () => useUrlState(PACKS_STATE)

export function PacksPage() {
  const state = usePacksState()
  const { urlState } = state
  const packs = usePacks({ limit: SHOWN, search: urlState.search, cursor: urlState.cursor })
  const [creating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<Pack | null>(null)
  const list = packs.data?.data
  const create = () => setCreating(true)
  const none = list?.length === 0 && urlState.search === '' && urlState.cursor === ''
  return (
    <Page
      title={t('Packs')}
      subtitle={t('Groups of files that are sold together')}
      fullWidth
      primaryAction={{ content: t('Create pack'), onAction: create }}
    >
      <BlockStack gap="400">
        <LoadProblem query={packs} what={t('The packs could not be loaded')} />
        {none ? (
          <NoPacks onCreate={create} />
        ) : (
          <PackList packs={packs} state={state} onDelete={setDoomed} />
        )}
      </BlockStack>
      {creating && (
        <CreatePack
          onClose={() => setCreating(false)}
          onMade={({ id }) => navigate(`/packs/${id}`)}
        />
      )}
      {doomed && (
        <DeletePack
          pack={doomed}
          onClose={() => setDoomed(null)}
          onDeleted={() => setDoomed(null)}
        />
      )}
    </Page>
  )
}

const NoPacks = ({ onCreate }: { onCreate: () => void }) => (
  <Card>
    <Nothing
      why="new"
      heading={t('No packs yet')}
      action={{ content: t('Create pack'), onAction: onCreate }}
    >
      {t(
        'Files in a pack share its products, have a fixed order, and are delivered with one link.',
      )}
    </Nothing>
  </Card>
)

interface ListProps {
  packs: ReturnType<typeof usePacks>
  state: ReturnType<typeof usePacksState>
  onDelete: (pack: Pack) => void
}

function PackList({ packs, state: { urlState, go, pages }, onDelete }: ListProps) {
  const list = packs.data?.data
  return (
    <Card padding="0">
      <Box padding="300">
        <PageSearch>
          <TextField
            label={t('Search packs')}
            labelHidden
            placeholder={t('Search packs by name')}
            clearButton
            value={urlState.search}
            onChange={(search) => go({ search }, { replace: true })}
            onClearButtonClick={() => go({ search: '' }, { replace: true })}
          />
        </PageSearch>
      </Box>
      {packs.isPending && <LoadingRows rows={5} what={t('packs')} />}
      {list?.length === 0 && (
        <Nothing
          why="unmatched"
          heading={t('No pack matches')}
          action={{ content: t('Show all'), onAction: () => go({ search: '' }) }}
        />
      )}
      {list && list.length > 0 && <PacksTable packs={list} onDelete={onDelete} />}
      {list && list.length > 0 && (
        <ListPages
          what={t('packs')}
          all={t('{count, plural, one {# pack} other {# packs}}', { count: list.length })}
          page={urlState.page}
          next={packs.data?.next_cursor ?? null}
          pages={pages}
          stale={packs.isPlaceholderData}
        />
      )}
    </Card>
  )
}
