// What screen readers announce about the uploads: the start, each quarter, the first failure and
// the end. The page itself changes several times a second.
import { t } from '../../shell/messages/t.ts'
import { type Import } from './imports.ts'
import { type UploadTotals } from './rows.ts'

interface Announcement {
  /** The text is announced when the stage changes. */
  stage: string
  text: string
}

const QUARTERS = 4
const PERCENT = 100

interface Uploads {
  totals: UploadTotals
  /** The number of imported files without a product. */
  unmapped?: number
  imports: readonly Pick<Import, 'ended' | 'done'>[]
}

export function announcementOf({ totals, unmapped = 0, imports }: Uploads): Announcement {
  const { total, completed, failed, remaining } = totals
  if (total === 0) return importsAnnouncement(imports)
  if (remaining === 0)
    return {
      stage: `ended ${total} ${failed} ${unmapped}`,
      text: [
        t('Uploads ended: {completed, number} complete, {failed, number} failed', {
          completed,
          failed,
        }),
        ...(unmapped > 0 ? [endSummary(completed, unmapped)] : []),
      ].join('. '),
    }
  const quarter = quarterOf(totals)
  const texts = [
    quarter === 0
      ? t('Uploading {total, plural, one {# file} other {# files}}', { total })
      : t('{percent}% of {total, plural, one {# file} other {# files}} sent', {
          percent: (quarter * PERCENT) / QUARTERS,
          total,
        }),
  ]
  if (failed > 0) texts.push(t('{failed, number} failed', { failed }))
  return { stage: `${total} ${quarter} ${failed > 0}`, text: texts.join(', ') }
}

/** `3 imported, 2 need a product` */
export const endSummary = (imported: number, unmapped: number): string =>
  t(
    '{imported, number} imported, {unmapped, plural, one {# needs a product} other {# need a product}}',
    { imported, unmapped },
  )

/** 0 to 4. */
export const quarterOf = ({ sent, bytes }: Pick<UploadTotals, 'sent' | 'bytes'>): number =>
  bytes === 0 ? 0 : Math.floor((sent / bytes) * QUARTERS)

/** After a reload the queue is empty, and the imports of the visit before may still run. */
function importsAnnouncement(imports: Uploads['imports']): Announcement {
  if (imports.length === 0 || imports.some(({ ended }) => !ended)) return { stage: '', text: '' }
  const done = imports.reduce((sum, one) => sum + one.done, 0)
  return { stage: 'imports ended', text: endedText(done) }
}

export const endedText = (done: number): string =>
  t('The import has ended. {done, plural, one {# file was} other {# files were}} imported.', {
    done,
  })
