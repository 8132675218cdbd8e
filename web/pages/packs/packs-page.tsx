// The shop's packs by name: how much is in each, and the products that its files have through it.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { type Pack, usePacks } from '../../client/packs.ts'
import { LoadingRows, Nothing, PageTurner } from '../../components/lists.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { readPackPlace, writePackPlace } from '../../url-state/packs.ts'
import { useUrlState } from '../../url-state/use-url-state.ts'
import { BlockStack, Box, Card, TextField } from '../../ui/index.ts'
import { numberText } from '../../labels/size.ts'
import { CreatePack } from './create-pack.tsx'
import { DeletePack } from './delete-pack.tsx'
import { PacksTable } from './packs-table.tsx'

const SHOWN = 50

export function PacksPage() {
  const { place, go, pages } = useUrlState(readPackPlace, writePackPlace)
  const packs = usePacks({ limit: SHOWN, search: place.search, cursor: place.cursor })
  const [creating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<Pack | null>(null)
  const list = packs.data?.data
  const create = () => setCreating(true)
  const none = list?.length === 0 && place.search === '' && place.cursor === ''
  return (
    <Page
      title="Packs"
      subtitle="Groups of files that are sold together"
      fullWidth
      primaryAction={{ content: 'Create pack', onAction: create }}
    >
      <BlockStack gap="400">
        {packs.error && (
          <Problem
            stale={list !== undefined}
            error={packs.error}
            what="The packs could not be loaded"
            onRetry={() => void packs.refetch()}
            retrying={packs.isFetching}
          />
        )}
        {none ? (
          <Card>
            <Nothing
              why="new"
              heading="No packs yet"
              action={{ content: 'Create pack', onAction: create }}
            >
              Files in a pack share its products, stand in one order, and go out to a buyer with one
              link.
            </Nothing>
          </Card>
        ) : (
          <Card padding="0">
            <Box padding="300">
              <TextField
                label="Search packs"
                labelHidden
                placeholder="Search packs by name"
                autoComplete="off"
                clearButton
                value={place.search}
                onChange={(search) => go({ search }, { replace: true })}
                onClearButtonClick={() => go({ search: '' }, { replace: true })}
              />
            </Box>
            {packs.isPending && <LoadingRows rows={5} what="packs" />}
            {list?.length === 0 && (
              <Nothing
                why="unmatched"
                heading="No pack has this in its name"
                action={{ content: 'Show all', onAction: () => go({ search: '' }) }}
              />
            )}
            {list && list.length > 0 && <PacksTable packs={list} onDelete={setDoomed} />}
            {list && list.length > 0 && (
              <PageTurner
                label={`Page ${numberText(place.page)}`}
                what="packs"
                pages={pages(packs.data?.next_cursor)}
              />
            )}
          </Card>
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
