// The schedules of the shop.
import { Page } from '../../components/page.tsx'

export function SchedulesPage() {
  return <Page title="Scheduled tasks">{null}</Page>
}
