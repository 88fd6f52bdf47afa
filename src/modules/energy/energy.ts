import { coded, type Text } from '../../base/codes/coded-text.js';
import { moduleKind, type ModuleDefinition } from '../../device/module.js';
import { energyProperties, type EnergyProperties } from './energy-properties.js';
import { energyVariables } from './energy-variables.js';

/**
 * The module **Energy**: consumption, cost and self-consumption of a house from its counters, and a surplus
 * that switches an output (`docs/use/energy.md`).
 */
export const energyModule: ModuleDefinition<typeof energyProperties> = {
  id: '{A3C51B0E-64D2-4E7B-B0F5-2C7E9D3A8F41}',
  name: 'Energy',
  description: 'Consumption, cost and self-consumption of a house, and an output that a surplus switches.',
  icon: 'Electricity',
  page: 'use/energy.md',
  kind: moduleKind.device,
  prefix: 'GW',
  properties: energyProperties,
  variables: energyVariables,
  check,
  async open(host) {
    const { OpenEnergy } = await import('./open-energy.js');
    return new OpenEnergy(host);
  },
};

function check({
  Import,
  Export,
  Generation,
  Charge,
  Discharge,
  GridPower,
  Switch,
}: EnergyProperties): Text | undefined {
  if (Import === '' && GridPower === '')
    return coded`NO_ENERGY_SOURCE: Import and GridPower are empty; set at least one of them`;
  if (Import === '' && [Export, Generation, Charge, Discharge].some((path) => path !== ''))
    return coded`NO_IMPORT: Import is empty; the other counters need it`;
  if (Switch !== '' && GridPower === '') return coded`NO_GRID_POWER: GridPower is empty; Switch needs it`;
  return undefined;
}
