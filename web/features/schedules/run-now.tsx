// Asks before a task is run now, with its number of files; then opens its operation's page.
import { navigate } from 'wouter/use-browser-location'
import { type Schedule, useMatch, useRunSchedule } from './calls.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { BlockStack, Hint, Modal } from '../../shell/ui/index.ts'
import { Matches } from './matches.tsx'
import { t } from '../../shell/messages/t.ts'

interface Props {
  schedule: Pick<Schedule, 'id' | 'name' | 'filter' | 'action' | 'workflow'> | null
  onClose: () => void
}

export function RunNow({ schedule, onClose }: Props) {
  const run = useRunSchedule()
  const match = useMatch(
    schedule && { filter: schedule.filter, action: schedule.action, workflow: schedule.workflow },
  )
  const close = () => {
    onClose()
    run.reset()
  }
  const start = () =>
    schedule && run.mutate(schedule.id, { onSuccess: ({ id }) => navigate(`/operations/${id}`) })
  return (
    <Modal
      open={schedule !== null}
      onClose={close}
      title={t('Run “{name}” now?', { name: schedule?.name ?? '' })}
      primaryAction={{ content: t('Run now'), loading: run.isPending, onAction: start }}
      secondaryActions={[{ content: t('Cancel'), onAction: close }]}
    >
      <Modal.Section>
        <BlockStack gap="400">
          {run.error && <Problem error={run.error} what={t('It could not be started')} />}
          <Matches match={match} />
          <Hint>{t('The next scheduled run is not affected.')}</Hint>
        </BlockStack>
      </Modal.Section>
    </Modal>
  )
}
