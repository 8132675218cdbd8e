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

export function WatermarkFields({ draft, problems, onChange }: FieldsProps) {
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
        alternatives={[withNone(alternative)]}
        value={{ ...draft.watermark }}
        onChange={(value) => onChange({ watermark: watermarkOf(value) })}
        path="watermark"
        problems={problems}
      />
      {draft.watermark && <WatermarkPreview watermark={draft.watermark} />}
    </BlockStack>
  )
}

/** The choices that say what the watermark is, and the choice to have none. */
const withNone = ({ title, choices }: Alternative): Alternative => ({
  title,
  choices: [{ label: t('No watermark'), fields: [] }, ...choices.filter(({ set }) => !set)],
})

const watermarkOf = (value: Record<string, unknown>): SettingsDraft['watermark'] =>
  value.text === undefined && value.picture === undefined
    ? null
    : (value as SettingsDraft['watermark'])
