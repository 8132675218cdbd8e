// Who opened a link that asks before a download, and the attempts that were refused.
import { Badge, BlockStack, Hint, Text } from '../../shell/ui/index.ts'
import { type DownloadLink, type Schemas } from '../../shell/client/types.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { refusedText } from '../../shell/files/labels.ts'
import { momentText } from '../../shell/labels/time.ts'
import { useLinkOpenings } from './list-calls.ts'
import './link-openings.css'
import { t } from '../../shell/messages/t.ts'

type Openings = Schemas['LinkOpenings']
type Row = Pick<Openings['refusals'][number], 'at' | 'filename' | 'address' | 'agent'> & {
  email?: string | null
  refused?: Openings['refusals'][number]
}

export function LinkOpeningsDialog({ link, onClose }: { link: DownloadLink; onClose: () => void }) {
  const openings = useLinkOpenings(link.id)
  const rows = openings.data && rowsOf(openings.data)
  return (
    <Dialog
      title={t('Who opened the link')}
      onClose={onClose}
      primaryAction={{ content: t('Done'), onAction: onClose }}
    >
      {openings.isPending && <LoadingRows rows={3} what={t('openings')} />}
      <LoadProblem query={openings} what={t('The openings could not be loaded')} />
      {rows?.length === 0 && <Hint>{t('Nobody has answered what the link asks for.')}</Hint>}
      {rows && rows.length > 0 && (
        <ul className="link-openings" aria-label={t('Who opened the link')}>
          {rows.map((row, place) => (
            <OpeningRow key={`${row.at} ${place}`} row={row} />
          ))}
        </ul>
      )}
    </Dialog>
  )
}

const OpeningRow = ({ row: { at, email, refused, filename, address, agent } }: { row: Row }) => (
  <li>
    <BlockStack>
      <Text as="span" breakWord>
        {refused ? (filename ?? t('The page with all files')) : (email ?? t('With the password'))}
      </Text>
      <Text as="span" variant="bodySm" tone="subdued" breakWord>
        {[refused ? '' : filename, agent, address].filter(Boolean).join(' · ')}
      </Text>
    </BlockStack>
    {refused ? (
      <Badge tone="critical">
        {t('Refused: {why}', {
          why: refusedText({ reason: refused.code, times: refused.times }),
        })}
      </Badge>
    ) : (
      <Badge tone="success">{t('Opened')}</Badge>
    )}
    <span className="tabular">{momentText(at)}</span>
  </li>
)

const rowsOf = ({ openings, refusals }: Openings): Row[] =>
  [...openings, ...refusals.map((refused): Row => ({ ...refused, refused }))].toSorted(
    (a: Row, b: Row) => b.at.localeCompare(a.at),
  )
