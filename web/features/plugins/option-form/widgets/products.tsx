// Pickers of products: one product or variant, and several products to remove files from.
import { useState } from 'react'
import { BlockStack, ChoiceList, InlineError } from '../../../../shell/ui/index.ts'
import { fieldId } from '../../../../shell/components/problems.ts'
import { ProductPicker } from '../../../mapping/product-picker.tsx'
import { type FieldProps } from '../field-props.ts'
import { useScope } from '../scope.ts'
import { titleOf } from '../../option-shape.ts'

/** Also sets the option `variant_id` if the form has it. */
export function OneProduct({ name, value, path, problems }: FieldProps) {
  const { values, change, dialog } = useScope()
  const [title, setTitle] = useState('')
  const { variant_id } = values
  const id = typeof value === 'string' && value !== '' ? value : null
  const error = problems.within(path)
  return (
    <BlockStack gap="200">
      {error && <InlineError message={error} fieldID={fieldId(path)} />}
      <ProductPicker
        choice={
          id === null
            ? null
            : {
                product_id: id,
                variant_id: typeof variant_id === 'string' ? variant_id : null,
                title,
              }
        }
        onChoose={(choice) => {
          setTitle(choice.title)
          dialog?.name(name, choice.title)
          change({ [name]: choice.product_id, variant_id: choice.variant_id ?? undefined })
        }}
      />
    </BlockStack>
  )
}

/**
 * The products of the selected files if the page knows all of them; otherwise one of all products.
 */
export function SomeProducts({ name, schema, value, onChange, path, problems }: FieldProps) {
  const { dialog } = useScope()
  const [title, setTitle] = useState('')
  const chosen = Array.isArray(value) ? value.map(String) : []
  const error = problems.within(path)
  const own = new Map(
    (dialog?.known ? dialog.files : []).flatMap(({ mappings }) =>
      mappings.map(({ product_id, product_title }) => [product_id, product_title]),
    ),
  )
  if (own.size > 0)
    return (
      <ChoiceList
        title={titleOf(schema, name)}
        allowMultiple
        error={error}
        selected={chosen}
        choices={[...own].map(([id, label]) => ({ value: id, label }))}
        onChange={onChange}
      />
    )
  return (
    <BlockStack gap="200">
      {error && <InlineError message={error} fieldID={fieldId(path)} />}
      <ProductPicker
        whole
        choice={chosen[0] === undefined ? null : { product_id: chosen[0], variant_id: null, title }}
        onChoose={(choice) => {
          setTitle(choice.title)
          onChange([choice.product_id])
        }}
      />
    </BlockStack>
  )
}
