// A field for text: nothing that a merchant types here is about themselves, so browsers must not fill
// it in.
import { TextField as PolarisTextField } from '@shopify/polaris'
import { type ComponentProps } from 'react'

type PolarisProps = ComponentProps<typeof PolarisTextField>
type Props = PolarisProps extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'autoComplete'> & Partial<Pick<PolarisProps, 'autoComplete'>>
    : never
  : never

export const TextField = (props: Props) => (
  <PolarisTextField {...({ autoComplete: 'off', ...props } as PolarisProps)} />
)
