// Files are imported as they arrive: links to the imports, and the problems that prevent one.
import { Banner, Link } from '../../shell/ui/index.ts'
import { endedText } from './announcement.ts'
import { type Import } from './imports.ts'
import { type QueueState } from './queue.ts'
import { t } from '../../shell/messages/t.ts'

interface Props extends Pick<QueueState, 'imports' | 'errors'> {
  onRetry: (batch: string) => void
}

export function Imports({ imports, errors, onRetry }: Props) {
  return (
    <>
      {errors.map(([batch, error]) => (
        <Banner
          key={batch}
          tone="critical"
          title={t('The files have arrived, but could not be imported')}
          action={{ content: t('Try again'), onAction: () => onRetry(batch) }}
        >
          <p>{error.message}</p>
        </Banner>
      ))}
      {imports.map((one) => (
        <Banner
          key={one.batch}
          tone={!one.ended ? 'info' : one.failed > 0 ? 'warning' : 'success'}
          stopAnnouncements
        >
          <p>
            {`${stateText(one)} `}
            {one.failed > 0 &&
              `${t('{failed, plural, one {# file is} other {# files are}} not complete: see below.', { failed: one.failed })} `}
            {one.operation && <Link url={`/operations/${one.operation}`}>{t('View details')}</Link>}
          </p>
        </Banner>
      ))}
    </>
  )
}

const stateText = ({ ended, done }: Import): string =>
  ended
    ? endedText(done)
    : t(
        'Each file is imported when it arrives: {done, plural, one {# file} other {# files}} so far.',
        {
          done,
        },
      )
