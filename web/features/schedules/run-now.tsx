// Asks before a task is run now, with its number of files; then opens its operation's page.
import { navigate } from 'wouter/use-browser-location'
import { type Schedule, useMatch, useRunSchedule } from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Hint } from '../../shell/ui/index.ts'
import { Matches } from './matches.tsx'
import { t } from '../../shell/messages/t.ts'

interface Props {
  schedule: Pick<Schedule, 'id' | 'name' | 'filter' | 'action' | 'workflow'>
  onClose: () => void
}

/** Rendered only while it is open: it counts the files of this task. */
export function RunNow({ schedule: { id, name, filter, action, workflow }, onClose }: Props) {
  const run = useRunSchedule()
  const match = useMatch({ filter, action, workflow })
  const start = () =>
    run.mutate(id, { onSuccess: (operation) => navigate(`/operations/${operation.id}`) })
  return (
    <Dialog
      title={t('Run “{name}” now?', { name })}
      onClose={onClose}
      primaryAction={{ content: t('Run now'), loading: run.isPending, onAction: start }}
    >
      {run.error && <Problem error={run.error} what={t('It could not be started')} />}
      <Matches match={match} />
      <Hint>{t('The next scheduled run is not affected.')}</Hint>
    </Dialog>
  )
}
