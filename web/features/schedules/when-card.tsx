// When a task runs: by simple forms, or by a cron line.
import { useCronCheck } from './calls.ts'
import { fieldId, objectionsIn } from '../../shell/components/problems.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { useDebounced } from '../../shell/url-state/use-debounced.ts'
import { Checkbox, InlineError, Select, TextField } from '../../shell/ui/index.ts'
import { cronOf, EVERY, type Recurrence, WEEK, type RunTimes } from './labels.ts'
import { type ScheduleForm } from './use-schedule-form.ts'
import { t } from '../../shell/messages/t.ts'

export function WhenCard({ form }: { form: ScheduleForm }) {
  const { draft, change, problems } = form
  const { when } = draft
  const cron = useDebounced(cronOf(when))
  const check = useCronCheck(cron)
  const refused = cron === cronOf(when) ? objectionsIn(check.error)[0]?.message : undefined
  const error = problems.at('cron') ?? refused
  const set = (part: Partial<RunTimes>) => {
    change({ when: { ...when, ...part } })
    form.visit('cron')
  }
  const choose = (every: Recurrence) =>
    // The cron line starts with the simple form's meaning.
    set({ every, ...(every === 'cron' ? { cron: cronOf(when) || when.cron } : {}) })
  return (
    <Titled title={t('When')}>
      <div className="fields">
        <Select
          label={t('Runs')}
          id={when.every === 'cron' ? undefined : fieldId('cron')}
          options={Object.entries(EVERY).map(([value, label]) => ({ label, value }))}
          value={when.every}
          onChange={(every) => choose(every as Recurrence)}
        />
        {when.every === 'cron' ? (
          <TextField
            label={t('Cron expression')}
            id={fieldId('cron')}
            helpText={t('Minute, hour, day of the month, month, day of the week.')}
            monospaced
            value={when.cron}
            error={error}
            onChange={(text) => set({ cron: text })}
          />
        ) : (
          <PlainTime when={when} set={set} error={when.every === 'week' ? undefined : error} />
        )}
        {when.every === 'week' && <Weekdays when={when} set={set} error={error} />}
      </div>
    </Titled>
  )
}

interface PartProps {
  when: RunTimes
  set: (part: Partial<RunTimes>) => void
  error: string | undefined
}

function PlainTime({ when, set, error }: PartProps) {
  if (when.every === 'hour')
    return (
      <TextField
        label={t('Minute of the hour')}
        type="number"
        min={0}
        max={59}
        value={when.minute}
        error={error}
        onChange={(minute) => set({ minute })}
      />
    )
  return (
    <>
      {when.every === 'month' && (
        <Select
          label={t('On day')}
          helpText={Number(when.day) > 28 ? t('Months without this day are skipped.') : undefined}
          options={[
            ...Array.from({ length: 31 }, (_, n) => ({
              label: String(n + 1),
              value: String(n + 1),
            })),
            { label: t('The last'), value: 'L' },
          ]}
          value={when.day}
          onChange={(day) => set({ day })}
        />
      )}
      <TextField
        label={t('At')}
        type="time"
        value={when.time}
        error={error}
        onChange={(time) => set({ time: time.slice(0, 5) })}
      />
    </>
  )
}

function Weekdays({ when: { days }, set, error }: PartProps) {
  return (
    <fieldset className="wide plain-set">
      <legend>{t('On', {}, 'weekdays')}</legend>
      <div className="weekdays">
        {WEEK.map(([day, name]) => (
          <Checkbox
            key={day}
            label={name}
            checked={days.includes(day)}
            onChange={(on) =>
              set({ days: on ? [...days, day] : days.filter((other) => other !== day) })
            }
          />
        ))}
      </div>
      {error && <InlineError message={error} fieldID={fieldId('cron')} />}
    </fieldset>
  )
}
