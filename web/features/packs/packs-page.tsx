// The shop's packs by name, with their sizes and products.
import { useState, useMemo } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { ListPages } from '../../shell/components/list-pages.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { PageSearch } from '../../shell/components/page-search.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'
import { BlockStack, Box, Card, TextField, InlineStack, Link, Text } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import { listState, trimmed } from '../../shell/url-state/list-state.ts'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import type { CardLayout, Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { usePacks } from '../../shell/client/queries.ts'
import { type Pack, useCreatePack } from './calls.ts'
import { DeletePack } from './delete-pack.tsx'
import { NameDialog } from './name-dialog.tsx'

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

// The search and page of the list of packs, in the address.

const PACKS_STATE = listState({ search: trimmed })

// The dialog that creates a pack with a name; files and products are added on its page.

function CreatePack({ onClose, onMade }: { onClose: () => void; onMade: (pack: Pack) => void }) {
  const create = useCreatePack()
  const [name, setName] = useState('')
  return (
    <NameDialog
      title={t('Create pack')}
      save={t('Create')}
      name={name}
      saving={create.isPending}
      error={create.error}
      onChange={(text) => {
        setName(text)
        create.reset()
      }}
      onSave={() => create.mutate({ name: name.trim(), products: [] }, { onSuccess: onMade })}
      onClose={onClose}
    />
  )
}

// Packs with their sizes and products.

interface Props {
  packs: readonly Pack[]
  /** Must be the same function in every render: the table is memoised. */
  onDelete: (pack: Pack) => void
}

function PacksTable({ packs, onDelete }: Props) {
  const columns = useMemo(() => columnsOf(onDelete), [onDelete])
  return (
    <RecordTable
      names={{ singular: t('pack'), plural: t('packs') }}
      columns={columns}
      card={CARD}
      rows={packs}
      idOf={({ id }) => id}
    />
  )
}

type ColumnId = 'name' | 'files' | 'size' | 'products' | 'created' | 'delete'

const CARD: CardLayout<ColumnId> = {
  lines: ['name', { facts: ['files', 'size', 'products'] }],
  gap: '050',
  buttons: 'delete',
}

const columnsOf = (onDelete: Props['onDelete']): Columns<ColumnId, Pack> => ({
  name: {
    title: t('Pack'),
    wraps: true,
    cell: ({ id, name }) => (
      <Link url={`/packs/${id}`} monochrome removeUnderline>
        <Text as="span" fontWeight="semibold" breakWord>
          {name}
        </Text>
      </Link>
    ),
  },
  files: {
    title: t('Files'),
    tabular: true,
    cell: ({ files }) => t('{files, plural, one {# file} other {# files}}', { files }),
  },
  size: { title: t('Size'), tabular: true, cell: ({ size_bytes }) => sizeText(size_bytes) },
  products: { title: t('Products'), cell: productsText },
  created: { title: t('Created'), cell: ({ created_at }) => momentText(created_at) },
  delete: {
    title: t('Actions'),
    titleHidden: true,
    cell: (pack) => (
      <InlineStack align="end">
        <CriticalButton
          label={t('Delete {name}', { name: pack.name })}
          onClick={() => onDelete(pack)}
          text={t('Delete')}
        />
      </InlineStack>
    ),
  },
})

function productsText({ products }: Pack): string {
  const [first, ...rest] = products
  if (first === undefined) return t('No products')
  return rest.length === 0
    ? first.product_title
    : t('{count, plural, one {# product} other {# products}}', { count: products.length })
}
