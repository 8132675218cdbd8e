// The list of plugins, by kind, from which a step is added.
import { useState } from 'react'
import { type Plugin } from '../../shell/client/plugins.ts'
import { type Workflow } from '../../shell/client/workflows.ts'
import { fieldId } from '../../shell/components/problems.ts'
import { ActionList, Button, PlusIcon, Popover } from '../../shell/ui/index.ts'
import { byKind, unfitText } from '../plugins/step-labels.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  kind: Workflow['kind']
  plugins: readonly Plugin[]
  onAdd: (plugin: string) => void
}

export function AddStep({ kind, plugins, onAdd }: Props) {
  const [open, setOpen] = useState(false)
  return (
    <Popover
      active={open}
      onClose={() => setOpen(false)}
      autofocusTarget="first-node"
      preferredAlignment="left"
      activator={
        <Button id={fieldId('steps')} icon={PlusIcon} disclosure onClick={() => setOpen(!open)}>
          {t('Add step')}
        </Button>
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
