// The shop's watermark, with the form of the action that adds watermarks to documents.
import { type Alternative, usePlugins } from '../../shell/client/plugins.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { OptionForm } from '../plugins/option-form/option-form.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack } from '../../shell/ui/index.ts'
import { type FieldsProps } from './fields.tsx'
import { type SettingsDraft } from './settings-draft.ts'
import { WatermarkPreview } from './watermark-preview.tsx'

const ACTION = 'watermark-pdf'

export const WatermarkFields = ({ draft, problems, onChange }: FieldsProps) => (
  <WatermarkForm
    none={t('No watermark')}
    value={draft.watermark}
    problems={problems}
    onChange={(watermark) => onChange({ watermark })}
  />
)

interface FormProps {
  /** The choice without a watermark. */
  none: string
  value: SettingsDraft['watermark']
  problems: FieldsProps['problems']
  onChange: (watermark: SettingsDraft['watermark']) => void
}

/** The form of one watermark, with its preview. */
export function WatermarkForm({ none, value, problems, onChange }: FormProps) {
  const { data, error, refetch, isFetching } = usePlugins()
  const plugin = data?.data.find(({ id }) => id === ACTION)
  const [alternative] = plugin?.alternatives ?? []
  if (error)
    return (
      <Problem
        error={error}
        what={t('The form could not be loaded')}
        onRetry={() => void refetch()}
        retrying={isFetching}
      />
    )
  if (!plugin || !alternative) return <LoadingRows what={t('the settings')} />
  return (
    <BlockStack gap="400">
      <OptionForm
        schema={plugin.options}
        fields={['text']}
        alternatives={[withNone(alternative, none)]}
        value={{ ...value }}
        onChange={(value) => onChange(watermarkOf(value))}
        path="watermark"
        problems={problems}
      />
      {value && <WatermarkPreview watermark={value} />}
    </BlockStack>
  )
}

/** The choices that say what the watermark is, and the choice to have none. */
const withNone = ({ title, choices }: Alternative, none: string): Alternative => ({
  title,
  choices: [{ label: none, fields: [] }, ...choices.filter(({ set }) => !set)],
})

const watermarkOf = (value: Record<string, unknown>): SettingsDraft['watermark'] =>
  value.text === undefined && value.picture === undefined
    ? null
    : (value as SettingsDraft['watermark'])
