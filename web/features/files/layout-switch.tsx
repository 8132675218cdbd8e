// The two ways to draw the list of files, above it.
import { Button, GridIcon, ListIcon } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import { type ListLayout } from './layout.ts'

interface Props {
  layout: ListLayout
  onChange: (layout: ListLayout) => void
}

export const LayoutSwitch = ({ layout: shown, onChange }: Props) => (
  <div className="layout-switch" role="group" aria-label={t('Layout of the list')}>
    {[
      { layout: 'list' as const, icon: ListIcon, name: t('List') },
      { layout: 'grid' as const, icon: GridIcon, name: t('Grid') },
    ].map(({ layout, icon, name }) => (
      <span key={layout} title={name}>
        <Button
          icon={icon}
          pressed={layout === shown}
          accessibilityLabel={name}
          onClick={() => onChange(layout)}
        />
      </span>
    ))}
  </div>
)
