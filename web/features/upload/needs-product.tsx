// The end of the uploads: how many files were imported, and those that need a product.
import { useState } from 'react'
import { MapRows } from './map-rows.tsx'
import { type QueueState, type UploadQueue } from './queue.ts'
import { needsProduct, type UploadRow } from './rows.ts'
import { endSummary } from './announcement.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { Button, Hint, InlineStack, Link } from '../../shell/ui/index.ts'
import '../imports/import.css'
import { t } from '../../shell/messages/t.ts'

const SHOWN = 20

export function NeedsProduct({ queue, state }: { queue: UploadQueue; state: QueueState }) {
  const [mapped, setMapped] = useState<readonly UploadRow[] | null>(null)
  const { rows, totals, mapping } = state
  const open = rows.filter(needsProduct)
  if (totals.remaining > 0 || (open.length === 0 && mapped === null)) return null
  const free = open.filter(({ id }) => !mapping.has(id))
  return (
    <Titled
      title={endSummary(totals.completed, open.length)}
      help={t('Buyers get a file when it is attached to a product that they buy.')}
      action={
        free.length > 1 && (
          <Button variant="primary" onClick={() => setMapped(free)}>
            {t('Choose one product for all of these')}
          </Button>
        )
      }
    >
      <ul className="kept-files" aria-label={t('Files without a product')}>
        {open.slice(0, SHOWN).map((row) => (
          <li key={row.id}>
            <InlineStack align="space-between" blockAlign="center" gap="200" wrap={false}>
              <Link url={`/files/${row.file}`}>{row.filename}</Link>
              <Button
                disabled={mapping.has(row.id)}
                accessibilityLabel={t('Choose a product for {filename}', {
                  filename: row.filename,
                })}
                onClick={() => setMapped([row])}
              >
                {t('Choose a product…')}
              </Button>
            </InlineStack>
          </li>
        ))}
      </ul>
      {open.length > SHOWN && (
        <Hint>{t('and {more, number} more', { more: open.length - SHOWN })}</Hint>
      )}
      {mapped && <MapRows queue={queue} rows={mapped} onClose={() => setMapped(null)} />}
    </Titled>
  )
}
