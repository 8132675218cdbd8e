// The running transfers, with received bytes and speed.
import { type DropFile, useTransfers } from './calls.ts'
import { Flow } from '../operations/flow.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { protocolText, speedText } from './labels.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'
import { Box, Card, Heading, Hint, Text } from '../../shell/ui/index.ts'
import './drop.css'

/** Rendered only while a file is being sent. */
export function TransfersCard() {
  const transfers = useTransfers()
  const files = transfers.data?.data ?? []
  if (transfers.error)
    return <LoadProblem query={transfers} what={t('The running transfers could not be loaded')} />
  if (files.length === 0) return null
  const more = transfers.data?.next_cursor !== null
  const total = files.reduce((sum, { bytes_per_second }) => sum + (bytes_per_second ?? 0), 0)
  return (
    <Card padding="0">
      <Box padding="400">
        <Heading>{t('Arriving now')}</Heading>
        <Hint>
          <span className="tabular">
            {more
              ? t('More than {count} files, the first of them at {speed}', {
                  count: files.length,
                  speed: speedText(total),
                })
              : t('{count, plural, one {# file} other {# files}} at {speed}', {
                  count: files.length,
                  speed: speedText(total),
                })}
          </span>
        </Hint>
      </Box>
      <ul className="drop-list" aria-label={t('Arriving now')}>
        {files.map((file) => (
          <Transfer key={file.id} file={file} />
        ))}
      </ul>
    </Card>
  )
}

const Transfer = ({ file }: { file: DropFile }) => (
  <li>
    <span className="drop-name">{file.path}</span>
    <span className="drop-state">
      <Text as="span" tone="subdued">
        {[protocolText(file.protocol), file.account_name].filter(Boolean).join(' · ')}
      </Text>
      <span>
        {t('{size} at {speed}', {
          size: sizeText(file.size_bytes),
          speed: speedText(file.bytes_per_second),
        })}
      </span>
    </span>
    {/* The client does not announce the file's size, so there is no percentage. */}
    <Flow label={t('Receiving {path}', { path: file.path })} />
  </li>
)
