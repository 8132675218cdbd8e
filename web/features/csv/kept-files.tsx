// Stored CSV files: each can be continued where it was left.
import { type KeptCsv, useKeptCsvs } from './calls.ts'
import { LoadingNothing } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { StatusBadge } from '../operations/status.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { BlockStack, InlineStack, Link, SmallPrint } from '../../shell/ui/index.ts'
import { CSV_STATUSES } from './labels.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'

export function KeptFiles() {
  const kept = useKeptCsvs()
  if (kept.error && !kept.data)
    return <LoadProblem query={kept} what={t('Your earlier CSV files could not be loaded')} />
  if (!kept.data) return <LoadingNothing />
  if (kept.data.data.length === 0) return null
  return (
    <Titled
      title={t('Your CSV files')}
      help={t('CSV files are kept for a day. Continue where you left off.')}
    >
      <ul className="kept-files">
        {kept.data.data.map((file) => (
          <li key={file.id}>
            <KeptFile file={file} />
          </li>
        ))}
      </ul>
    </Titled>
  )
}

const KeptFile = ({ file: { id, filename, status, rows, created_at } }: { file: KeptCsv }) => (
  <InlineStack align="space-between" blockAlign="center" gap="300" wrap={false}>
    <BlockStack>
      <Link url={`/import/csv/${id}`}>{filename}</Link>
      <SmallPrint>
        {t('{rows, plural, one {# row} other {# rows}} · {time}', {
          rows,
          time: momentText(created_at),
        })}
      </SmallPrint>
    </BlockStack>
    <StatusBadge word={CSV_STATUSES[status]} />
  </InlineStack>
)
