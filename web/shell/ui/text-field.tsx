// A field for text: nothing that a merchant types here is about themselves, so browsers must not fill
// it in. Its error is announced when it appears: the focus may be on the button that sent the form.
import { TextField as PolarisTextField } from '@shopify/polaris'
import { type ComponentProps } from 'react'

type PolarisProps = ComponentProps<typeof PolarisTextField>
type Props = PolarisProps extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'autoComplete'> & Partial<Pick<PolarisProps, 'autoComplete'>>
    : never
  : never

export function TextField(props: Props) {
  const { error } = props
  const said = typeof error === 'string' && error !== '' ? <span role="alert">{error}</span> : error
  return <PolarisTextField {...({ autoComplete: 'off', ...props, error: said } as PolarisProps)} />
}
