// The list of plugins, by kind, from which a step is added at the end or inserted before another.
import { useState } from 'react'
import { type Plugin } from '../../shell/client/plugins.ts'
import { type Workflow } from '../../shell/client/workflows.ts'
import { fieldId } from '../../shell/components/problems.ts'
import { ActionList, Button, Icon, PlusIcon, Popover } from '../../shell/ui/index.ts'
import { byKind, unfitText } from '../plugins/step-labels.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  kind: Workflow['kind']
  plugins: readonly Plugin[]
  /** The step before which it is inserted, in words; absent: it is added at the end. */
  before?: string
  onAdd: (plugin: string) => void
}

export function AddStep({ kind, plugins, before, onAdd }: Props) {
  const [open, setOpen] = useState(false)
  return (
    <Popover
      active={open}
      onClose={() => setOpen(false)}
      autofocusTarget="first-node"
      preferredAlignment="left"
      activator={
        before === undefined ? (
          <Button id={fieldId('steps')} icon={PlusIcon} disclosure onClick={() => setOpen(!open)}>
            {t('Add step')}
          </Button>
        ) : (
          <button
            type="button"
            className="insert-step"
            aria-expanded={open}
            aria-label={t('Insert a step before {before}', { before })}
            title={t('Insert a step here')}
            onClick={() => setOpen(!open)}
          >
            <Icon source={PlusIcon} />
          </button>
        )
      }
    >
      <div className="add-step">
        <ActionList
          actionRole="menuitem"
          sections={byKind(plugins).map((group) => ({
            title: group.title,
            items: group.plugins.map((plugin) => {
              const unfit = unfitText(plugin, kind)
              return {
                content: plugin.title,
                helpText: unfit ?? undefined,
                disabled: unfit !== null,
                onAction: () => {
                  setOpen(false)
                  onAdd(plugin.id)
                },
              }
            }),
          }))}
        />
      </div>
    </Popover>
  )
}
