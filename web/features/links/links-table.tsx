// Links with their files; in the card of one file always as cards.
import { useMemo, useState } from 'react'
import { type DownloadLink } from '../../shell/client/types.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { type CardLayout, type Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { Box, Link, Text } from '../../shell/ui/index.ts'
import { expiresText, expiryFact, usedText, viewTermsTexts } from './labels.ts'
import { Customer, LinkActions, LinkBadge } from './link-row.tsx'
import { t } from '../../shell/messages/t.ts'

interface Props {
  links: readonly DownloadLink[]
  /** Shows the file or pack of each link. */
  named: boolean
}

export function LinksTable({ links, named }: Props) {
  const [error, setError] = useState<Error | null>(null)
  const columns = useMemo(() => columnsOf(setError), [])
  return (
    <>
      {error && (
        <Box padding="400">
          <Problem error={error} what={t('That could not be done')} />
        </Box>
      )}
      <RecordTable
        names={{ singular: t('link'), plural: t('links') }}
        columns={columns}
        card={named ? NAMED_CARD : CARD}
        // The card of one file's links is too narrow for the table's columns on every screen.
        alwaysCards={!named}
        rows={links}
        idOf={({ id }) => id}
      />
    </>
  )
}

type ColumnId = 'target' | 'customer' | 'status' | 'used' | 'expires' | 'actions'

const FACTS = { facts: ['used', 'expires'] } as const
const CARD: CardLayout<ColumnId> = {
  lines: ['status', 'customer', FACTS],
  gap: '100',
  buttons: 'actions',
}
const NAMED_CARD: CardLayout<ColumnId> = {
  ...CARD,
  lines: ['status', 'target', 'customer', FACTS],
}

const usedTexts = (link: DownloadLink) => [usedText(link), ...viewTermsTexts(link)]

const columnsOf = (onError: (error: Error | null) => void): Columns<ColumnId, DownloadLink> => ({
  target: {
    title: t('File or pack'),
    cut: { whole: ({ filename }) => filename },
    cell: (link) => <Target link={link} />,
  },
  customer: {
    title: t('Customer'),
    cut: { whole: ({ email }) => email ?? undefined },
    cell: (link) => <Customer link={link} />,
    inCard: (link) => (
      <Text as="span" breakWord>
        <Customer link={link} />
      </Text>
    ),
  },
  status: { title: t('Status'), cell: (link) => <LinkBadge link={link} /> },
  used: {
    title: t('Downloads'),
    tabular: true,
    // Narrow, with a line for each: the table would otherwise be wider than the window.
    cell: (link) => (
      <div style={{ inlineSize: 'max-content', maxInlineSize: 130, whiteSpace: 'normal' }}>
        {usedTexts(link).map((text) => (
          <div key={text}>{text}</div>
        ))}
      </div>
    ),
    inCard: (link) =>
      [t('Downloads: {used}', { used: usedText(link) }), ...viewTermsTexts(link)].join(' · '),
  },
  expires: { title: t('Expires'), cell: expiresText, inCard: expiryFact },
  actions: {
    title: t('Actions'),
    titleHidden: true,
    cell: (link) => <LinkActions link={link} onError={onError} />,
  },
})

function Target({ link: { file_id, pack_id, filename } }: { link: DownloadLink }) {
  const name = (
    <>
      <Text as="span" fontWeight="medium" breakWord>
        {filename}
      </Text>
      {!file_id && (
        <Text as="span" tone="subdued">
          {' '}
          {pack_id ? t('(pack)') : t('(deleted pack)')}
        </Text>
      )}
    </>
  )
  if (!file_id && !pack_id) return name
  return (
    <Link url={pack_id ? `/packs/${pack_id}` : `/files/${file_id}`} monochrome removeUnderline>
      {name}
    </Link>
  )
}
