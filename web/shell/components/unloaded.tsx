// What a page shows instead of a record that is not loaded: placeholder rows, or why it could not be
// loaded.
import { type ComponentProps } from 'react'
import { Card } from '../ui/index.ts'
import { LoadProblem } from './load-problem.tsx'
import { LoadingRows } from './lists.tsx'

interface Props extends Pick<ComponentProps<typeof LoadProblem>, 'query'> {
  /** What is loaded: `the pack`. */
  what: string
  /** `The pack could not be loaded` */
  problem: string
  rows?: number
}

export const Unloaded = ({ query, what, problem, rows }: Props) =>
  query.error ? (
    <LoadProblem query={query} what={problem} />
  ) : (
    <Card padding="0">
      <LoadingRows rows={rows} what={what} />
    </Card>
  )
