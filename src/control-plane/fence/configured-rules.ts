import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { readDestinations } from './destinations.ts';
import type { FenceRules } from './rules.ts';
import { type Services, serviceAddresses } from './service-addresses.ts';

export type FenceSettings = Pick<ControlPlaneSettings, 'SLIPWAY_FENCE_ALLOW' | 'SLIPWAY_FENCE_DENY'> &
  Services;

/** Reads the fence's settings, and resolves the names of services. Throws InvalidSetting. */
export const configuredRules = async (settings: FenceSettings): Promise<FenceRules> => ({
  allow: readDestinations('SLIPWAY_FENCE_ALLOW', settings.SLIPWAY_FENCE_ALLOW),
  deny: readDestinations('SLIPWAY_FENCE_DENY', settings.SLIPWAY_FENCE_DENY),
  services: await serviceAddresses(settings),
});
