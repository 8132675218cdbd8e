// One schedule.
import { Page } from '../../components/page.tsx'

export function SchedulePage(_: { id: string }) {
  return <Page title="Scheduled task">{null}</Page>
}
