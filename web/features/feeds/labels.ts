// Texts about feeds and their runs.
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { type StatusWord } from '../operations/operation-status.ts'
import { cronText } from '../schedules/labels.ts'
import { type Feed, type FeedRowChange, type FeedRun } from './calls.ts'

export function feedState({ enabled, error, last_run }: Feed): StatusWord {
  const status = last_run?.status
  if (status === 'reading' || status === 'running') return RUN_WORDS[status]
  if (error) return { text: t('Failing'), tone: 'critical', progress: undefined }
  if (status === 'waiting') return RUN_WORDS.waiting
  if (!enabled) return { text: t('Paused'), tone: 'attention', progress: 'incomplete' }
  return { text: t('Ready'), tone: 'success', progress: 'complete' }
}

const RUN_WORDS: Record<FeedRun['status'], StatusWord> = {
  reading: { text: t('Reading the table'), tone: 'info', progress: 'partiallyComplete' },
  running: { text: t('Importing'), tone: 'info', progress: 'partiallyComplete' },
  waiting: { text: t('Waits for you'), tone: 'attention', progress: undefined },
  unchanged: { text: t('Nothing new'), tone: undefined, progress: undefined },
  listed: { text: t('Preview'), tone: undefined, progress: undefined },
  done: { text: t('Success'), tone: 'success', progress: undefined },
  partial: { text: t('Partial'), tone: 'warning', progress: undefined },
  failed: { text: t('Failed'), tone: 'critical', progress: undefined },
}

export const runWord = ({ status }: Pick<FeedRun, 'status'>): StatusWord => RUN_WORDS[status]

type Counts = Pick<FeedRun, 'new' | 'changed' | 'vanished' | 'problems'>

/** `3 new, 1 changed`, or that nothing differs. */
export function countsText(run: Counts): string {
  const texts = [
    run.new > 0 && t('{count, number} new', { count: run.new }),
    run.changed > 0 && t('{count, number} changed', { count: run.changed }),
    run.vanished > 0 && t('{count, number} vanished', { count: run.vanished }),
    run.problems > 0 &&
      t('{count, plural, one {# row with a problem} other {# rows with a problem}}', {
        count: run.problems,
      }),
  ].filter((text) => text !== false)
  return texts.length === 0 ? t('Nothing new') : texts.join(', ')
}

export const whenText = ({ cron, schedule_text }: Pick<Feed, 'cron' | 'schedule_text'>): string =>
  cron === null ? t('By hand') : cronText(cron, schedule_text ?? cron)

export const nextText = (feed: Pick<Feed, 'cron' | 'enabled' | 'next_run_at'>): string =>
  !feed.enabled
    ? t('Paused')
    : feed.next_run_at === null
      ? t('By hand')
      : momentText(feed.next_run_at)

export const filesText = (files: number): string =>
  t('{files, plural, =0 {No files yet} one {# file} other {# files}}', { files })

export const CHANGES: Record<FeedRowChange['kind'], string> = {
  new: t('New file'),
  version: t('New version'),
  change: t('Changed', {}, 'file'),
  delete: t('To the trash'),
  restore: t('Restored'),
  trash: t('Vanished: to the trash'),
  tag: t('Vanished: gets the tag'),
  problem: t('Problem'),
}

export const VANISHED: readonly { value: Feed['vanished']; label: string }[] = [
  { value: 'keep', label: t('Keep its file as it is') },
  { value: 'trash', label: t('Move its file to the trash, for 7 days') },
  { value: 'tag', label: t('Give its file a tag') },
]
