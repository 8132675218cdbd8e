// The steps for every parcel.
import type { Workflow } from '../plugins/contract/index.ts'

export const importParcels: Workflow = {
  id: 'import-parcels',
  title: 'Parcels',
  action: 'import',
  kind: 'import',
  parallel: 1,
  steps: [
    { id: 'take', plugin: 'take-parcel' },
    { id: 'validate', plugin: 'validate-file' },
    { id: 'map', plugin: 'map-products' },
    { id: 'notify', plugin: 'notify' },
  ],
}
