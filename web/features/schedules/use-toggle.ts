// The switch of a task in the list.
import { toast } from '../../shell/client/bridge.ts'
import { type Schedule, useSwitchSchedule } from './calls.ts'
import { t } from '../../shell/messages/t.ts'

/** Switches a task on or off and leaves its other fields unchanged. */
export function useToggle(schedule: Schedule) {
  const save = useSwitchSchedule(schedule.id)
  return {
    // The new state is shown immediately.
    on: save.isPending ? save.variables : schedule.enabled,
    busy: save.isPending,
    error: save.error,
    toggle: (enabled: boolean) =>
      save.mutate(enabled, {
        onSuccess: () =>
          toast(
            enabled
              ? t('{name} is on', { name: schedule.name })
              : t('{name} is off', { name: schedule.name }),
          ),
      }),
  }
}
