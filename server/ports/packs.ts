// Packs for plugins: read only.
import type { Packs } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { findPack } from '../files/packs.ts'

export const createPacks = (scope: ShopScope): Packs => ({ find: (pack) => findPack(scope, pack) })
