/** The name of a gateway of the fleet, which is a part of its topics. */
export const nameOf = (index: number): string => `box${String(index).padStart(2, '0')}`;

/** What the rehearsal requests of a process with gateways. */
export interface HostRequest {
  readonly id: number;
  readonly what: 'start' | 'restart' | 'burst' | 'pace' | 'figures' | 'end';
  /** The gateway to restart, the length of the burst, changes per second and gateway. */
  readonly value: number;
}

/** What one gateway counts. */
export interface GatewayReport {
  readonly index: number;
  /** Its counter was set to each number up to this one. */
  readonly count: number;
  readonly isConnected: boolean;
  readonly dropped: number;
}

/** The reply of a process with gateways. */
export interface HostReport {
  readonly id: number;
  readonly gateways: readonly GatewayReport[];
  /** Before the first gateway started, and now. */
  readonly emptyMiB: number;
  readonly residentMiB: number;
}
