// Home: what needs the merchant, the first steps of a new shop, and what happened.
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Page } from '../../shell/components/page.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Card } from '../../shell/ui/index.ts'
import { useHome } from './calls.ts'
import { FiguresSection } from './figures-section.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Needs } from './needs.tsx'
import './home.css'

export function HomePage() {
  const home = useHome()
  return (
    <Page title={t('Home')} fullWidth>
      <BlockStack gap="400">
        <LoadProblem query={home} what={t('What needs you could not be loaded')} />
        {home.isPending && (
          <Card padding="0">
            <LoadingRows rows={4} what={t('what needs you')} />
          </Card>
        )}
        {home.data && (
          <>
            <Needs home={home.data} />
            <FirstSteps done={home.data.first_steps} />
          </>
        )}
        <FiguresSection />
      </BlockStack>
    </Page>
  )
}
