// Maps the chosen files to the products that their names and tags tell of.
import { Checkbox, ChoiceList, TextField } from '../../../ui/index.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { type Errors, type Reading, useForm, wholeNumber } from './use-form.ts'

interface AutoMapForm {
  rules: 'defaults' | 'own'
  by: string[]
  /** Per cent, as typed. */
  threshold: string
  replace: boolean
}

/** In the order in which they are tried. */
const METHODS = [
  { value: 'filename', label: 'Product SKU in the filename' },
  { value: 'title', label: 'Product title (fuzzy)' },
  { value: 'tags', label: 'Tags' },
]

export function readAutoMap({ rules, by, threshold, replace }: AutoMapForm): Reading {
  const again = replace ? { replace } : {}
  if (rules === 'defaults') return { options: again }
  const errors: Errors = {}
  const percent = wholeNumber(threshold, 1, 100)
  if (by.length === 0) errors.by = 'Choose at least one way to match'
  if (percent === null) errors.threshold = 'Write a whole number from 1 to 100'
  if (Object.keys(errors).length > 0) return { errors }
  const match_by = METHODS.map(({ value }) => value).filter((value) => by.includes(value))
  return { options: { match_by, threshold: percent! / 100, ...again } }
}

export function AutoMapDialog(props: BulkProps) {
  const { form, change, errors, bulk } = useForm<AutoMapForm>({
    initial: { rules: 'defaults', by: METHODS.map(({ value }) => value), threshold: '80', replace: false },
    read: readAutoMap,
    fields: { match_by: 'by' },
  })
  return (
    <BulkDialog
      {...props}
      {...bulk('map-products')}
      title={`Map ${countText(props.chosen.count, 'file', 'files')} to products`}
      run="Map files"
      note="The preview says which files match which product, and how many match none. Where several products may be meant, you choose in Reviews."
    >
      <ChoiceList
        title="How"
        selected={[form.rules]}
        onChange={([rules]) => change({ rules: rules as AutoMapForm['rules'] })}
        choices={[
          { value: 'defaults', label: 'As in the import defaults' },
          { value: 'own', label: 'Choose for these files' },
        ]}
      />
      {form.rules === 'own' && (
        <>
          <ChoiceList
            title="Match by"
            allowMultiple
            selected={form.by}
            choices={METHODS}
            error={errors.by}
            onChange={(by) => change({ by })}
          />
          <TextField
            label="Confidence threshold"
            type="number"
            min={1}
            max={100}
            suffix="%"
            autoComplete="off"
            helpText="Of titles and tags. A SKU is either in the filename or not."
            value={form.threshold}
            error={errors.threshold}
            onChange={(threshold) => change({ threshold })}
          />
        </>
      )}
      <Checkbox
        label="Files that have products too"
        helpText="They lose those that they have. Otherwise they are passed over."
        checked={form.replace}
        onChange={(replace) => change({ replace })}
      />
    </BulkDialog>
  )
}
