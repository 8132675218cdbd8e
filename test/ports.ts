// The names of all ports, for plugins that need every one.
import type { PortId } from '../plugins/contract/index.ts'

export const PORTS = Object.keys({
  catalog: 0,
  remote: 0,
  uploads: 0,
  drop: 0,
  cloud: 0,
  packs: 0,
  contents: 0,
  stored: 0,
  actions: 0,
  stage: 0,
  bytes: 0,
  sandbox: 0,
  virusScanner: 0,
  notify: 0,
  artifacts: 0,
  listings: 0,
  documents: 0,
  delivery: 0,
  licences: 0,
  pastOrders: 0,
  programs: 0,
  progress: 0,
} satisfies Record<PortId, 0>) as PortId[]
