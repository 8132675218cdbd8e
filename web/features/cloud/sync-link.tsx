// When a sync started, as a link to its operation if that still exists.
import { type Sync } from './calls.ts'
import { momentText } from '../../shell/labels/time.ts'
import { Link } from '../../shell/ui/index.ts'

export const SyncLink = ({ sync }: { sync: Sync }) =>
  sync.operation_id === null ? (
    <span>{momentText(sync.started_at)}</span>
  ) : (
    <Link url={`/operations/${sync.operation_id}`}>{momentText(sync.started_at)}</Link>
  )
