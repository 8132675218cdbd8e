// Templates of schedules: the two that the specification describes.
import { sayPlain } from '../../../plugins/contract/index.ts'
import type { ScheduleBody } from './check.ts'

const MB = 1024 ** 2

/** Request bodies; each can be changed before it is saved. */
export const SCHEDULE_TEMPLATES: readonly ScheduleBody[] = [
  {
    name: sayPlain('Delete old files that nobody uses'),
    enabled: true,
    cron: '0 2 1 * *',
    action: 'delete-files',
    workflow: null,
    options: {},
    filter: { older_than_days: 365, mapped: false, not_downloaded_for_days: 180 },
    notify: 'always',
    cap: 100,
  },
  {
    name: sayPlain('Tag files by rule'),
    enabled: true,
    cron: '0 3 * * *',
    action: 'tag-by-rule',
    workflow: null,
    options: {
      rules: [
        { when: { search: 'ebook' }, tags: ['ebook'] },
        { when: { search: 'course' }, tags: ['course'] },
        { when: { type: ['pdf'] }, tags: ['pdf'] },
        { when: { larger_than: 100 * MB }, tags: ['large-file'] },
      ],
    },
    filter: {},
    notify: 'errors',
    cap: 100,
  },
]
