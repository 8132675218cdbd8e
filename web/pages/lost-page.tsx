// An address that leads nowhere.
import { Nothing } from '../components/lists.tsx'
import { Page } from '../components/page.tsx'
import { Card } from '../ui/index.ts'

export function LostPage() {
  return (
    <Page title="Page not found">
      <Card>
        <Nothing
          why="unmatched"
          heading="There is nothing at this address"
          action={{ content: 'Go to files', url: '/files' }}
        >
          It may have been deleted, or the address may have been cut short.
        </Nothing>
      </Card>
    </Page>
  )
}
