// The widgets that an option may request with `widget`. To add one, add a file in widgets/ and a
// line here.
import { ownValue } from '../../../../plugins/_page/own-value.ts'
import { type ComponentType } from 'react'
import { type JsonSchema } from '../../../shell/client/workflows.ts'
import { type FieldProps } from './field-props.ts'
import { shapeOf } from '../option-shape.ts'
import { Checklist, RadioChoice } from './widgets/choices.tsx'
import { ConnectionPicker } from './widgets/connection.tsx'
import { CommaList } from './widgets/comma-list.tsx'
import { Day } from './widgets/day.tsx'
import { FilePicker } from './widgets/file-picker.tsx'
import { LicenceListPicker } from './widgets/licence-list.tsx'
import { PackPicker } from './widgets/pack-picker.tsx'
import { PagePosition } from './widgets/page-position.tsx'
import { Password } from './widgets/password.tsx'
import { Percent } from './widgets/percent.tsx'
import { OneProduct, SomeProducts } from './widgets/products.tsx'
import { SavedTags, TagInUse } from './widgets/tags.tsx'
import { WebhookPicker } from './widgets/webhook.tsx'

export interface Widget {
  field: ComponentType<FieldProps>
  /** The field takes the full width. */
  wide?: boolean
  /** Outside dialogs the option is drawn by its type. */
  dialogOnly?: boolean
}

const WIDGETS: Readonly<Record<string, Widget>> = {
  connection: { field: ConnectionPicker, wide: true },
  day: { field: Day },
  file: { field: FilePicker, wide: true },
  'licence-list': { field: LicenceListPicker, wide: true },
  pack: { field: PackPicker, wide: true },
  'page-position': { field: PagePosition, wide: true, dialogOnly: true },
  // The position of a mark; also offered in the steps of a workflow.
  'page-sketch': { field: PagePosition, wide: true },
  password: { field: Password, wide: true },
  product: { field: OneProduct, wide: true },
  products: { field: SomeProducts, wide: true },
  ranges: { field: CommaList },
  tag: { field: TagInUse },
  tags: { field: SavedTags, wide: true, dialogOnly: true },
  webhook: { field: WebhookPicker, wide: true },
}

const RADIO: Widget = { field: RadioChoice, wide: true }
const CHECKLIST: Widget = { field: Checklist, wide: true }
const PERCENT: Widget = { field: Percent }
/** More values than these are shown as a dropdown. */
const MAX_RADIOS = 3

/** The widget of an option; null: its type decides the field. Some widgets need the space of a dialog. */
export function widgetOf(schema: JsonSchema, dialog: boolean): Widget | null {
  const widget = ownValue(WIDGETS, schema.widget ?? '')
  if (widget && (dialog || !widget.dialogOnly)) return widget
  if (schema.percent) return PERCENT
  if (!dialog || !schema.choices || schema.absent !== undefined) return null
  const shape = shapeOf(schema)
  if (shape.kind === 'choice' && shape.values.length <= MAX_RADIOS) return RADIO
  return shape.kind === 'words' && shape.values ? CHECKLIST : null
}
