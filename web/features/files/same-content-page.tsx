// Files with the same content: which one of each group is kept, and a preview of merging the others
// into it.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { useReadPages } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'
import { Nothing, LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Box, Button, Card, Checkbox, ChoiceList, Hint } from '../../shell/ui/index.ts'
import { useStartOperation } from '../operations/calls.ts'

type Group = Schemas['ContentGroup']

/** What is done with a group: the id of the file that is kept; null: the group is left alone. */
type Choices = ReadonlyMap<string, string | null>

const SHOWN = 20

const NoneAlike = () => (
  <Nothing
    why="new"
    heading={t('No two files have the same content')}
    action={{ content: t('Go to files'), url: '/files' }}
  />
)

export function SameContentPage() {
  const read = useReadPages('GET /api/files/duplicates', { query: { limit: SHOWN } })
  const start = useStartOperation()
  const [choices, setChoices] = useState<Choices>(new Map())
  const groups = read.data?.pages.flatMap(({ data }) => data)
  const first = read.data?.pages[0]
  const merged = mergedOf(groups ?? [], choices)
  const preview = () =>
    start.mutate(
      {
        action: 'merge-duplicates',
        options: { groups: merged },
        select: { file_ids: merged.flatMap(({ keep, others }) => [keep, ...others]) },
        dry_run: true,
      },
      { onSuccess: ({ id }) => navigate(`/operations/${id}`) },
    )
  return (
    <Page
      title={t('Same content')}
      subtitle={t(
        'Keep one of several files with equal bytes: it gets the products and packs of the others, and they move to the trash.',
      )}
      backAction={{ content: t('Files'), url: '/files' }}
      primaryAction={{
        content: t('Preview'),
        onAction: preview,
        disabled: merged.length === 0,
        loading: start.isPending,
      }}
    >
      <BlockStack gap="400">
        <LoadProblem query={read} what={t('The files could not be loaded')} />
        {start.error && (
          <Problem error={start.error} what={t('The preview could not be started')} />
        )}
        {read.isPending && <LoadingRows rows={3} what={t('files')} />}
        {first?.total === 0 && <NoneAlike />}
        {first && first.total > 0 && (
          <Box paddingInline={{ xs: '400', sm: '0' }}>
            <Hint>{totalText(first)}</Hint>
          </Box>
        )}
        {groups?.map((group) => (
          <GroupCard
            key={group.id}
            group={group}
            keep={keptOf(group, choices)}
            onChoose={(keep) => setChoices(new Map([...choices, [group.id, keep]]))}
          />
        ))}
        {read.hasNextPage && (
          <Button loading={read.isFetchingNextPage} onClick={() => void read.fetchNextPage()}>
            {t('Show more')}
          </Button>
        )}
      </BlockStack>
    </Page>
  )
}

const totalText = ({ total, bytes }: { total: number; bytes: number }): string =>
  t(
    '{count, plural, one {# group of files with the same content.} other {# groups of files with the same content.}} All but one of each: {size}.',
    { count: total, size: sizeText(bytes) },
  )

const keptOf = ({ id, files }: Group, choices: Choices): string | null => {
  const chosen = choices.get(id)
  return chosen === undefined ? (files[0]?.id ?? null) : chosen
}

function mergedOf(groups: readonly Group[], choices: Choices) {
  return groups.flatMap((group) => {
    const keep = keptOf(group, choices)
    const others = group.files.flatMap(({ id }) => (id === keep ? [] : id))
    return keep === null || others.length === 0 ? [] : [{ keep, others }]
  })
}

interface GroupProps {
  group: Group
  keep: string | null
  onChoose: (keep: string | null) => void
}

function GroupCard({ group: { count, size_bytes, files }, keep, onChoose }: GroupProps) {
  return (
    <Card>
      <BlockStack gap="200">
        <Checkbox
          label={t('{count, plural, one {# file of {size}} other {# files of {size} each}}', {
            count,
            size: sizeText(size_bytes),
          })}
          checked={keep !== null}
          onChange={(chosen) => onChoose(chosen ? (files[0]?.id ?? null) : null)}
        />
        {keep !== null && (
          <ChoiceList
            title={t('Keep this file')}
            choices={files.map((file) => ({
              value: file.id,
              label: file.filename,
              helpText: aboutFile(file),
            }))}
            selected={[keep]}
            onChange={([chosen]) => onChoose(chosen ?? null)}
          />
        )}
        {count > files.length && (
          <Hint>
            {t('Only the first {shown, number} are listed. Merge these first.', {
              shown: files.length,
            })}
          </Hint>
        )}
      </BlockStack>
    </Card>
  )
}

const aboutFile = ({ created_at, buyers, products, packs }: Group['files'][number]): string =>
  [
    t('Added {at}', { at: momentText(created_at) }),
    buyers > 0 &&
      t('{buyers, plural, one {# buyer has} other {# buyers have}} a link to it', { buyers }),
    products.length > 0 && products.join(', '),
    packs.length > 0 &&
      t('{count, plural, one {Pack: {names}} other {Packs: {names}}}', {
        count: packs.length,
        names: packs.join(', '),
      }),
  ]
    .filter((part) => part !== false)
    .join(' · ')
