// The page of a record that is not loaded: placeholder rows, the error, or that it does not exist.
import { ApiError } from '../client/error.ts'
import { Card } from '../ui/index.ts'
import { LoadingRows, Nothing } from './lists.tsx'
import { Page } from './page.tsx'
import { Problem } from './problem.tsx'

interface Props {
  error: Error | null
  retrying: boolean
  onRetry: () => void
  /** The page that lists such records. */
  back: { content: string; url: string }
  texts: {
    title: string
    missingTitle: string
    /** `This workflow doesn’t exist` */
    missing: string
    /** The button to the list. */
    goToList: string
    /** `The workflow could not be loaded` */
    failed: string
    /** `the workflow` */
    what: string
  }
}

export function UnloadedPage({ error, retrying, onRetry, back, texts }: Props) {
  const missing = error instanceof ApiError && error.status === 404
  return (
    <Page title={missing ? texts.missingTitle : texts.title} backAction={back}>
      {missing ? (
        <Card>
          <Nothing
            why="unmatched"
            heading={texts.missing}
            action={{ content: texts.goToList, url: back.url }}
          />
        </Card>
      ) : error ? (
        <Problem error={error} what={texts.failed} onRetry={onRetry} retrying={retrying} />
      ) : (
        <Card padding="0">
          <LoadingRows rows={5} what={texts.what} />
        </Card>
      )}
    </Page>
  )
}
