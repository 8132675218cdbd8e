// Files that have arrived are imported together: where that can be watched, and what stands in its way.
import { Banner, Link } from '../../../ui/index.ts'
import { countText } from '../../../words/size.ts'
import { type QueueState } from './queue.ts'

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
          title="The files have arrived, but could not be imported"
          action={{ content: 'Try again', onAction: () => onRetry(batch) }}
        >
          <p>{error.message}</p>
        </Banner>
      ))}
      {imports.map(({ id, ended, failed }) => (
        <Banner key={id} tone={!ended ? 'info' : failed > 0 ? 'warning' : 'success'}>
          <p>
            {ended ? 'The import has ended. ' : 'The files have arrived and are being imported. '}
            {failed > 0 && `${countText(failed, 'file is', 'files are')} not complete: see below. `}
            <Link url={`/operations/${id}`}>View details</Link>
          </p>
        </Banner>
      ))}
    </>
  )
}
