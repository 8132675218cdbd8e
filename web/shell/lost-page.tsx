// The page for unknown addresses.
import { Nothing } from './components/lists.tsx'
import { Page } from './components/page.tsx'
import { Card } from './ui/index.ts'
import { t } from './messages/t.ts'

export function LostPage() {
  return (
    <Page title={t('Page not found')}>
      <Card>
        <Nothing
          why="unmatched"
          heading={t('There is nothing at this address')}
          action={{ content: t('Go to files'), url: '/files' }}
        >
          {t('It may have been deleted, or the address is incomplete.')}
        </Nothing>
      </Card>
    </Page>
  )
}
