// Asks before a task is run now, with its number of files; then opens its operation's page.
import { navigate } from 'wouter/use-browser-location'
import type { UseQueryResult } from '@tanstack/react-query'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Hint, Banner, BlockStack, Text } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import { FileName } from '../../shell/files/name.tsx'
import { paidText } from '../../shell/files/impact-labels.ts'
import { type Schedule, useMatch, useRunSchedule, type Match } from './calls.ts'

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

// The number of files that a task would find now, and the first of them.

function matchText({ total, total_is_exact: isExact }: Match): string {
  if (total === 0) return t('No file matches now')
  return isExact
    ? t('{total, plural, one {# file matches} other {# files match}} now', { total })
    : t('More than {total, number} files match now', { total })
}

export function Matches({ match }: { match: UseQueryResult<Match> }) {
  const { data, error, isPlaceholderData } = match
  if (error)
    return (
      <Text as="p" tone="critical">
        {error.message}
      </Text>
    )
  const lost = paidText(data?.impact?.paid_deliveries ?? null)
  const more = data ? data.total - data.sample.length : 0
  return (
    <BlockStack gap="200">
      <Text as="p" fontWeight="semibold" tone={isPlaceholderData ? 'subdued' : undefined}>
        <span role="status">{data === undefined ? t('Counting …') : matchText(data)}</span>
      </Text>
      {lost !== null && <Banner tone="warning">{lost}</Banner>}
      {data && data.sample.length > 0 && (
        <ul className="sample">
          {data.sample.map((name) => (
            <li key={name} title={name}>
              <FileName filename={name} />
            </li>
          ))}
          {more > 0 && <li className="more">{t('and {more, number} more', { more })}</li>}
        </ul>
      )}
    </BlockStack>
  )
}
