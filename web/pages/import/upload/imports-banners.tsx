// Files are imported as they arrive: where that can be watched, and what stands in its way.
import { Banner, Link } from '../../../ui/index.ts'
import { countText } from '../../../labels/size.ts'
import { type Import } from './imports.ts'
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
      {imports.map((one) => (
        <Banner key={one.batch} tone={!one.ended ? 'info' : one.failed > 0 ? 'warning' : 'success'}>
          <p>
            {stateText(one)}
            {one.failed > 0 &&
              `${countText(one.failed, 'file is', 'files are')} not complete: see below. `}
            {one.operation && <Link url={`/operations/${one.operation}`}>View details</Link>}
          </p>
        </Banner>
      ))}
    </>
  )
}

const stateText = ({ ended, done }: Import): string =>
  ended
    ? `The import has ended. ${countText(done, 'file was', 'files were')} imported. `
    : `Each file is imported when it has arrived: ${countText(done, 'file', 'files')} so far. `
